package bridge

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// newClient is the HTTP client: headers and credentials go to the server's origin
// and nowhere else, and an answer that does not begin is given up.
func newClient(cfg *Config) *http.Client {
	origin, _ := url.Parse(cfg.URL) // prepare has looked at it
	return &http.Client{
		Transport: &patient{base: cfg.Base, header: cfg.Header, timeout: cfg.Timeout},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if req.URL.Scheme != origin.Scheme || req.URL.Host != origin.Host {
				return fmt.Errorf("the server redirects to another origin, %s://%s; use that address if you trust it", req.URL.Scheme, req.URL.Host)
			}
			if len(via) > 5 {
				return fmt.Errorf("the server redirects in a circle")
			}
			return nil
		},
	}
}

// patient adds the headers and bounds the time to the first byte of the answer; a
// stream may then last.
type patient struct {
	base    http.RoundTripper
	header  http.Header
	timeout time.Duration
}

func (p *patient) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	req = req.Clone(ctx)
	for name, values := range p.header {
		req.Header[name] = values
	}
	timer := time.AfterFunc(p.timeout, func() { cancel(fmt.Errorf("no answer within %s", p.timeout)) })
	resp, err := p.base.RoundTrip(req)
	timer.Stop()
	if err != nil {
		if cause := context.Cause(ctx); ctx.Err() != nil {
			err = cause
		}
		cancel(nil)
		return nil, err
	}
	resp.Body = &ending{resp.Body, func() { cancel(nil) }}
	return resp, nil
}

// ending lets a request's context go with its body.
type ending struct {
	io.ReadCloser
	end func()
}

func (e *ending) Close() error {
	defer e.end()
	return e.ReadCloser.Close()
}
