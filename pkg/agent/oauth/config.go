package oauth

import (
	"cmp"
	"context"
	"net/http"
	"sync"
)

// Config says who the client is and how it reaches the person.
type Config struct {
	// Store keeps tokens and registrations. Nil: they live as long as the process.
	Store Store

	// Open shows the person a page. It returns at once. Default [Browse].
	Open func(ctx context.Context, url string) error

	// ClientName is what the person reads who is asked. Default "Comporta agent".
	ClientName string

	// ClientID and ClientSecret are of a client that was registered beforehand.
	ClientID, ClientSecret string

	// MetadataURL is the address of the client's metadata document, for
	// authorization servers that take one.
	MetadataURL string

	// RedirectURL is where the answer goes. Empty: a free port of 127.0.0.1, path
	// /callback. One that is set has to be of this machine, with a port.
	RedirectURL string

	// Client reaches the authorization server. Default: [http.DefaultClient].
	Client *http.Client
}

// SignIn signs in to any number of servers.
type SignIn struct {
	cfg Config

	mu      sync.Mutex
	servers map[string]*transport // by URL: two connections with one server share its tokens
}

// New makes a SignIn. It does no I/O.
func New(cfg Config) *SignIn {
	if cfg.Store == nil {
		cfg.Store = &memory{}
	}
	if cfg.Open == nil {
		cfg.Open = Browse
	}
	cfg.ClientName = cmp.Or(cfg.ClientName, "Comporta agent")
	cfg.Client = cmp.Or(cfg.Client, http.DefaultClient)
	return &SignIn{cfg: cfg, servers: map[string]*transport{}}
}

// For is a round tripper for the requests to one server. Where the server refuses
// a request it asks the person and repeats it; the request waits meanwhile, as
// long as its context lives. Sign-in itself does not go through base.
func (s *SignIn) For(serverURL string, base http.RoundTripper) (http.RoundTripper, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.servers[serverURL]; ok {
		return &transport{base: base, session: t.session}, nil
	}
	t := &transport{base: base, session: &session{cfg: s.cfg, server: serverURL}}
	s.servers[serverURL] = t
	return t, nil
}
