// Package metadata serves the authorization server's own description (RFC 8414).
package metadata

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Paths of the endpoints below the issuer. The routes and the document are made
// of the same list.
const (
	Authorize = "/authorize"
	Token     = "/token"
	Register  = "/register"
	Revoke    = "/revoke"
)

// Server is what the document tells. Every URL is made from the issuer, never
// from a request's headers.
type Server struct {
	Issuer        string // without a slash at its end
	Scopes        []string
	Documentation string
	Locales       []string
}

// document is RFC 8414's, with the fields of RFC 9207 and of client ID metadata
// documents.
type document struct {
	Issuer            string   `json:"issuer"`
	Authorize         string   `json:"authorization_endpoint"`
	Token             string   `json:"token_endpoint"`
	Register          string   `json:"registration_endpoint"`
	Revoke            string   `json:"revocation_endpoint"`
	Scopes            []string `json:"scopes_supported"` // without offline_access: it means nothing here
	ResponseTypes     []string `json:"response_types_supported"`
	ResponseModes     []string `json:"response_modes_supported"`
	GrantTypes        []string `json:"grant_types_supported"`
	AuthMethods       []string `json:"token_endpoint_auth_methods_supported"`
	RevokeAuthMethods []string `json:"revocation_endpoint_auth_methods_supported"`
	Challenges        []string `json:"code_challenge_methods_supported"` // clients refuse to go on without it
	Iss               bool     `json:"authorization_response_iss_parameter_supported"`
	ClientDocuments   bool     `json:"client_id_metadata_document_supported"`
	Documentation     string   `json:"service_documentation"`
	Locales           []string `json:"ui_locales_supported"`
}

// Handler serves the document.
func Handler(s Server) (http.Handler, error) {
	body, err := json.Marshal(document{
		Issuer:            s.Issuer,
		Authorize:         s.Issuer + Authorize,
		Token:             s.Issuer + Token,
		Register:          s.Issuer + Register,
		Revoke:            s.Issuer + Revoke,
		Scopes:            s.Scopes,
		ResponseTypes:     []string{"code"},
		ResponseModes:     []string{"query"},
		GrantTypes:        []string{"authorization_code", "refresh_token"},
		AuthMethods:       []string{"none"},
		RevokeAuthMethods: []string{"none"},
		Challenges:        []string{"S256"},
		Iss:               true,
		ClientDocuments:   true,
		Documentation:     s.Documentation,
		Locales:           s.Locales,
	})
	if err != nil {
		return nil, fmt.Errorf("make the metadata: %w", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "public, max-age=300")
		_, _ = w.Write(body) // the client going away is no fault of ours
	}), nil
}
