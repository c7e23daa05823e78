package oauth

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// callback is the small server of this machine that the browser comes back to.
type callback struct {
	url    string
	path   string
	server *http.Server
	result chan outcome

	mu    sync.Mutex
	state string
}

type outcome struct {
	result *auth.AuthorizationResult
	err    error
}

// listenForCallback listens at the configured address, else at that of the last
// time, which some authorization servers compare with its port, else anywhere.
func listenForCallback(configured, before string) (*callback, error) {
	for _, address := range []string{configured, before, "http://127.0.0.1:0/callback"} {
		if address == "" {
			continue
		}
		u, err := url.Parse(address)
		if err != nil || u.Port() == "" {
			return nil, fmt.Errorf("redirect URL %q: an address of this machine with a port is needed", address)
		}
		listener, err := net.Listen("tcp", u.Host)
		if err != nil {
			if address == configured {
				return nil, fmt.Errorf("listening for the sign-in's answer: %w", err)
			}
			continue
		}
		if u.Port() == "0" {
			u.Host = listener.Addr().String()
		}
		return serveCallback(listener, u), nil
	}
	return nil, fmt.Errorf("no port of this machine is free for the sign-in's answer")
}

func serveCallback(listener net.Listener, u *url.URL) *callback {
	c := &callback{url: u.String(), path: cmp.Or(u.Path, "/"), result: make(chan outcome, 1)}
	c.server = &http.Server{Handler: c, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = c.server.Serve(listener) }() // ends with close
	return c
}

// expect names the state of the answer that is waited for. Others are not ours.
func (c *callback) expect(state string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = state
}

func (c *callback) wait(ctx context.Context) (*auth.AuthorizationResult, error) {
	select {
	case o := <-c.result:
		return o.result, o.err
	case <-ctx.Done():
		return nil, fmt.Errorf("nobody signed in: %w", context.Cause(ctx))
	}
}

// close lets the browser have its page and stops.
func (c *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
}

// ServeHTTP takes the browser's answer.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	c.mu.Lock()
	ours := c.state != "" && q.Get("state") == c.state
	c.mu.Unlock()
	if r.Method != http.MethodGet || r.URL.Path != c.path || !ours {
		http.Error(w, "This address waits for the answer of a sign-in, and this is none.", http.StatusBadRequest)
		return
	}
	o := outcome{result: &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}}
	title, text := "Signed in", "You can close this page and go back to your agent."
	if kind := q.Get("error"); kind != "" || o.result.Code == "" {
		why := cmp.Or(q.Get("error_description"), kind, "no code came")
		o = outcome{err: fmt.Errorf("it was refused (%s)", why)}
		title, text = "Not signed in", "It was refused: "+why+". Nothing was given to your agent."
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Connection", "close")
	fmt.Fprintf(w, page, html.EscapeString(title), html.EscapeString(title), html.EscapeString(text))
	select {
	case c.result <- o:
	default: // a second answer
	}
}

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>%s</title><style>body{font:16px/1.6 system-ui;max-width:34rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}</style>
<h1>%s</h1><p>%s</p></html>
`
