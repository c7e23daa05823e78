package agent

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/agent/internal/child"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// dialFunc is a dialer in one function.
type dialFunc func(ctx context.Context, e events) (session, error)

func (f dialFunc) dial(ctx context.Context, e events) (session, error) { return f(ctx, e) }

func (s Stdio) dialer(_ string, o *Options) (dialer, error) {
	command := child.Command{Name: s.Command, Args: s.Args, Env: child.Environment(os.Environ(), s.Env), Dir: s.Dir}
	return dialFunc(func(ctx context.Context, e events) (session, error) {
		t := &started{Transport: child.Transport{Command: command}}
		got, err := connect(ctx, o, link{transport: t, reason: t.why}, e)
		if err != nil {
			return nil, &childError{err, t.stderr()}
		}
		return &local{got, t}, nil
	}), nil
}

func (h HTTP) dialer(_ string, o *Options) (dialer, error) {
	client, err := h.client(o)
	if err != nil {
		return nil, err
	}
	return dialFunc(func(ctx context.Context, e events) (session, error) {
		return connect(ctx, o, link{transport: &mcp.StreamableClientTransport{Endpoint: h.URL, HTTPClient: client}}, e)
	}), nil
}

func (h HTTP) client(o *Options) (*http.Client, error) {
	return httpClient(o, h.URL, h.Headers, h.Client, nil)
}

func (s SSE) dialer(_ string, o *Options) (dialer, error) {
	client, err := httpClient(o, s.URL, s.Headers, s.Client, s.move)
	if err != nil {
		return nil, err
	}
	return dialFunc(func(ctx context.Context, e events) (session, error) {
		return connect(ctx, o, link{transport: &mcp.SSEClientTransport{Endpoint: s.URL, HTTPClient: client}}, e)
	}), nil
}

// move sends messages to MessagePath, where that is set.
func (s SSE) move(req *http.Request) {
	if s.MessagePath != "" && req.Method == http.MethodPost {
		req.URL.Path, req.URL.RawPath = s.MessagePath, ""
	}
}

func (p Proxy) dialer(name string, o *Options) (dialer, error) {
	if p.ID == "" {
		return nil, fmt.Errorf("a proxy needs the id of the server behind it")
	}
	if p.ID == "." || p.ID == ".." {
		return nil, fmt.Errorf("%q is no id of a server behind a proxy: addresses take it for a folder", p.ID)
	}
	id := url.PathEscape(p.ID)
	address := strings.ReplaceAll(p.URL, "{server_id}", id)
	if address == p.URL {
		before, query, asks := strings.Cut(p.URL, "?")
		if address = strings.TrimRight(before, "/") + "/" + id; asks {
			address += "?" + query
		}
	}
	return HTTP{URL: address, Headers: p.Headers, Client: p.Client}.dialer(name, o)
}
