package agent

import (
	"cmp"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
)

// httpClient is the client for one remote server: own or the Manager's, held to
// the server's origin, with its headers, and with SignIn where no header signs in.
// adapt, when set, changes requests before they are sent.
func httpClient(o *Options, address string, headers map[string]string, own *http.Client, adapt func(*http.Request)) (*http.Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("%q is no http or https address", address)
	}
	client := *cmp.Or(own, o.HTTPClient)
	base := client.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	t := &originTransport{base: base, origin: u, header: http.Header{}, adapt: adapt}
	for name, value := range headers {
		if err := validHeader(name, value); err != nil {
			return nil, err
		}
		t.header.Set(name, value)
	}
	client.Transport = t
	if o.SignIn != nil && t.header.Get("Authorization") == "" {
		if client.Transport, err = o.SignIn(address, t); err != nil {
			return nil, fmt.Errorf("preparing to sign in: %w", err)
		}
	}
	return &client, nil
}

// validHeader refuses what net/http would refuse later, without the value in the
// error: it may be a credential.
func validHeader(name, value string) error {
	if textproto.TrimString(name) == "" {
		return fmt.Errorf("a header without a name is configured")
	}
	for _, c := range []byte(value) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return fmt.Errorf("the value of header %s holds a control character (a line end copied with it?)", name)
		}
	}
	return nil
}

// originTransport keeps requests, and with them the server's headers, at the
// origin that the configuration names: an answer or a redirect that names another
// must not carry a credential there.
type originTransport struct {
	base   http.RoundTripper
	origin *url.URL
	header http.Header
	adapt  func(*http.Request)
}

func (t *originTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != t.origin.Scheme || req.URL.Host != t.origin.Host {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		err := fmt.Errorf("the server names an address of another origin, %s://%s instead of %s://%s; configure that one, or correct the server's public address",
			req.URL.Scheme, req.URL.Host, t.origin.Scheme, t.origin.Host)
		keep(req.Context(), err)
		return nil, err
	}
	req = req.Clone(req.Context())
	for name, values := range t.header {
		req.Header[name] = values
	}
	if t.adapt != nil {
		t.adapt(req)
	}
	resp, err := t.base.RoundTrip(req)
	if err == nil {
		note(req.Context(), resp)
	}
	return resp, err
}
