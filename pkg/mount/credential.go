package mount

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// kind is a way of signing a request.
type kind string

const (
	noAuth kind = "none"
	bearer kind = "bearer"
	basic  kind = "basic"
	header kind = "header"
	query  kind = "query"
	cookie kind = "cookie"
)

// authPlace is where a credential goes; name is that of a header, a query
// parameter or a cookie.
type authPlace struct {
	kind kind
	name string
}

// parseAuth reads the setting; the zero place where it is empty.
func parseAuth(text string) (authPlace, error) {
	word, name, named := strings.Cut(text, ":")
	switch k := kind(word); {
	case text == "":
		return authPlace{}, nil
	case (k == bearer || k == basic || k == noAuth) && !named:
		return authPlace{kind: k}, nil
	case (k == header || k == query || k == cookie) && name != "":
		return authPlace{k, name}, nil
	}
	return authPlace{}, fmt.Errorf("auth must be bearer, basic, header:NAME, query:NAME, cookie:NAME or none, not %q", text)
}

// value is what the header or query parameter holds.
func (p authPlace) value(secret string) identity.Secret {
	switch p.kind {
	case bearer:
		return identity.Secret("Bearer " + secret)
	case basic:
		return identity.Secret("Basic " + base64.StdEncoding.EncodeToString([]byte(secret)))
	case cookie:
		return identity.Secret(p.name + "=" + secret)
	}
	return identity.Secret(secret)
}

// scheme is the place as OpenAPI tells it, so that one rule of the catalogue does
// for all: one header, or one query parameter.
func (p authPlace) scheme() (in, name string) {
	switch p.kind {
	case query:
		return "query", p.name
	case header:
		return "header", p.name
	case cookie:
		return "header", "Cookie"
	}
	return "header", "Authorization"
}

// resolve reads the secret that a reference names.
func resolve(reference string) (string, error) {
	var text string
	switch where, name, _ := strings.Cut(reference, ":"); where {
	case "file":
		data, err := os.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("credential: %w", err)
		}
		text = string(data)
	case "env":
		text = os.Getenv(name)
	default:
		return "", fmt.Errorf("credential must be file:/path or env:NAME")
	}
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return "", fmt.Errorf("credential: what %s names is empty or holds a line break", reference)
	}
	return text, nil
}

// auth is where the credential goes: as configured, or the first scheme of the
// document that one header or query parameter can carry.
func (d *document) auth() (authPlace, error) {
	place, err := parseAuth(d.api.Auth)
	if err != nil || place.kind != "" {
		return place, err
	}
	schemes := get(get(d.root, "components"), "securitySchemes")
	if schemes == nil {
		return authPlace{kind: noAuth}, nil
	}
	for i := 1; i < len(schemes.Content); i += 2 {
		if place, ok := placeOf(schemes.Content[i]); ok {
			return place, nil
		}
	}
	return authPlace{}, fmt.Errorf("the document has no way of signing in that fits; say auth")
}

func placeOf(scheme *yaml.Node) (authPlace, bool) {
	switch text(scheme, "type") {
	case "apiKey":
		place := authPlace{kind(text(scheme, "in")), text(scheme, "name")}
		return place, place.name != ""
	case "oauth2", "openIdConnect":
		return authPlace{kind: bearer}, true
	case "http":
		k := kind(strings.ToLower(text(scheme, "scheme")))
		return authPlace{kind: k}, k == bearer || k == basic
	}
	return authPlace{}, false
}
