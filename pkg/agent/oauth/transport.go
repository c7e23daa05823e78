package oauth

import (
	"bytes"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// transport sends requests with the session's token.
type transport struct {
	base    http.RoundTripper
	session *session
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	again, err := repeatable(req)
	if err != nil {
		return nil, err
	}
	token, err := t.session.token(req.Context())
	if err != nil {
		return nil, err
	}
	resp, err := t.base.RoundTrip(again(token))
	if err != nil || !refused(resp) {
		return resp, err
	}
	token, err = t.session.renew(req.Context(), req, resp, token)
	if err != nil {
		return nil, err
	}
	return t.base.RoundTrip(again(token))
}

// repeatable gives a request that can be sent more than once.
func repeatable(req *http.Request) (func(token string) *http.Request, error) {
	var body []byte
	if req.Body != nil && req.Body != http.NoBody {
		var err error
		body, err = io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	return func(token string) *http.Request {
		r := req.Clone(req.Context())
		if body != nil {
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		return r
	}, nil
}

// refused reports whether signing in, or in again with more, could help: 401, or
// 403 that asks for more scope.
func refused(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		return true
	case http.StatusForbidden:
		challenges, _ := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
		for _, c := range challenges {
			if c.Params["error"] == "insufficient_scope" {
				return true
			}
		}
	}
	return false
}
