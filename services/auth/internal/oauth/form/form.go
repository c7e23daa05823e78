// Package form reads the parameters of OAuth's endpoints: each at most once
// (RFC 6749 §3.1, §3.2), except resource, and of a POST from its body only.
package form

import (
	"encoding/base64"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
)

// maxBody bounds a POST, in bytes.
const maxBody = 16 << 10

// Params are a request's parameters. A parameter without a value counts as absent.
type Params struct{ values url.Values }

// Query reads the parameters of a GET. A fault is found even where the others
// can be used, so that the caller may look for where to send it.
func Query(r *http.Request) (Params, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return Params{values}, fault.New(fault.InvalidRequest, "The query is not well formed.")
	}
	return Params{values}, once(values)
}

// Body reads the parameters of a POST. client_id may come as the user name of a
// Basic header, as some clients without a secret send it.
func Body(w http.ResponseWriter, r *http.Request) (Params, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return Params{}, fault.New(fault.InvalidRequest, "Send the parameters as application/x-www-form-urlencoded.")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		return Params{}, fault.New(fault.InvalidRequest, "The body is too long or not well formed.")
	}
	p := Params{r.PostForm}
	if err := once(p.values); err != nil {
		return Params{}, err
	}
	return p, p.basic(r.Header.Values("Authorization"))
}

func once(values url.Values) error {
	for name, all := range values {
		if len(all) > 1 && name != "resource" {
			return fault.New(fault.InvalidRequest, "A parameter is there more than once.")
		}
		if name == "state" { // the client's own bytes, which come back as they are
			continue
		}
		for _, value := range all {
			if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
				return fault.New(fault.InvalidRequest, "A parameter is not text.")
			}
		}
	}
	return nil
}

// basic takes client_id from a Basic header. Clients here are public ones: who
// brings a secret takes this server for another one.
func (p Params) basic(headers []string) error {
	if len(headers) == 0 {
		return nil
	}
	wrong := fault.New(fault.InvalidClient, "Clients have no secret here: send client_id in the body and no Authorization header.")
	scheme, encoded, _ := strings.Cut(headers[0], " ")
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if len(headers) > 1 || !strings.EqualFold(scheme, "Basic") || err != nil {
		return wrong
	}
	user, secret, _ := strings.Cut(string(raw), ":")
	id, err := url.QueryUnescape(user)
	if err != nil || secret != "" || p.Get("client_id") != "" && p.Get("client_id") != id {
		return wrong
	}
	p.values.Set("client_id", id)
	return nil
}

// Get gives a parameter, or "".
func (p Params) Get(name string) string { return p.values.Get(name) }

// All gives every value of a parameter that may be repeated.
func (p Params) All(name string) []string {
	var all []string
	for _, value := range p.values[name] {
		if value != "" {
			all = append(all, value)
		}
	}
	return all
}
