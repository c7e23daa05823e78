package client

import (
	"fmt"
	"slices"

	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
)

// Metadata is what a client says of itself (RFC 7591 §2), when it registers and
// in its document. What is not here is dropped.
type Metadata struct {
	RedirectURIs    []string `json:"redirect_uris"`
	ClientName      string   `json:"client_name,omitempty"`
	ClientURI       string   `json:"client_uri,omitempty"`
	LogoURI         string   `json:"logo_uri,omitempty"`
	GrantTypes      []string `json:"grant_types,omitempty"`
	ResponseTypes   []string `json:"response_types,omitempty"`
	AuthMethod      string   `json:"token_endpoint_auth_method,omitempty"`
	Scope           string   `json:"scope,omitempty"`
	ApplicationType string   `json:"application_type,omitempty"`
	SoftwareID      string   `json:"software_id,omitempty"`
	SoftwareVersion string   `json:"software_version,omitempty"`
}

// The only way to get tokens here: authorization code, and a refresh afterwards.
var (
	grantTypes    = []string{"authorization_code", "refresh_token"}
	responseTypes = []string{"code"}
)

// Judge says what is wrong with the metadata, and makes it what it is here:
// whatever else was asked for, the client is a public one that uses codes.
func (m *Metadata) Judge(rules Rules) error {
	if len(m.RedirectURIs) == 0 || len(m.RedirectURIs) > maxURIs {
		return fault.New(fault.InvalidRedirectURI, fmt.Sprintf("redirect_uris must hold 1 to %d URIs.", maxURIs))
	}
	for i, uri := range m.RedirectURIs {
		if err := rules.Check(uri); err != nil {
			return fault.New(fault.InvalidRedirectURI, fmt.Sprintf("redirect_uris[%d]: %v.", i, err))
		}
	}
	if len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, "authorization_code") {
		return fault.New(fault.InvalidClientMetadata, "grant_types must hold authorization_code: there is no other way to get a token.")
	}
	if len(m.ResponseTypes) > 0 && !slices.Contains(m.ResponseTypes, "code") {
		return fault.New(fault.InvalidClientMetadata, "response_types must hold code.")
	}
	m.ClientName = cleanName(m.ClientName)
	m.ClientURI, m.LogoURI = httpsURL(m.ClientURI), httpsURL(m.LogoURI)
	m.GrantTypes, m.ResponseTypes, m.AuthMethod = grantTypes, responseTypes, "none"
	m.SoftwareID, m.SoftwareVersion = cleanName(m.SoftwareID), cleanName(m.SoftwareVersion)
	if m.ApplicationType != "native" && m.ApplicationType != "web" {
		m.ApplicationType = ""
	}
	return nil
}

// Client is the client of judged metadata, without an id.
func (m *Metadata) Client() Client {
	return Client{Name: m.ClientName, RedirectURIs: m.RedirectURIs, URI: m.ClientURI}
}
