package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// record is what the store keeps of one server.
type record struct {
	Token *oauth2.Token `json:"token,omitempty"`
	Scope string        `json:"scope,omitempty"`

	// The registered client, and where it is good.
	ClientID     string           `json:"client_id,omitempty"`
	ClientSecret string           `json:"client_secret,omitempty"`
	AuthStyle    oauth2.AuthStyle `json:"auth_style,omitempty"`
	AuthorizeURL string           `json:"authorize_url,omitempty"`
	TokenURL     string           `json:"token_url,omitempty"`
	RedirectURL  string           `json:"redirect_url,omitempty"`
}

// session is one server's tokens.
type session struct {
	cfg    Config
	server string

	mu    sync.Mutex // guards token, and is held by whoever asks the store
	known *oauth2.Token

	asking chan struct{} // closed when the running flow ends; nil: none runs
	failed error         // of the last flow
}

// token is the access token to send, or "" where there is none yet. One that has
// expired is refreshed first.
func (s *session) token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known.Valid() {
		return s.known.AccessToken, nil
	}
	s.known = nil
	err := s.cfg.Store.Update(ctx, s.server, func(data []byte) ([]byte, error) {
		rec := decode(data)
		if rec.Token == nil {
			return nil, nil
		}
		if rec.Token.Valid() { // another process refreshed it
			s.known = rec.Token
			return nil, nil
		}
		fresh, err := s.refresh(ctx, rec)
		if err != nil {
			return nil, err
		}
		rec.Token, s.known = fresh, fresh
		return json.Marshal(rec)
	})
	if err != nil {
		return "", fmt.Errorf("the stored sign-in for %s: %w", s.server, err)
	}
	if !usable(s.known, "") {
		return "", nil
	}
	return s.known.AccessToken, nil
}

// usable reports whether a token other than the refused one may be sent. Unlike
// Valid, which has a margin of 10 s, it takes one that is about to expire: where
// tokens live shorter than the margin there is no better.
func usable(t *oauth2.Token, refused string) bool {
	return t != nil && t.AccessToken != "" && t.AccessToken != refused &&
		(t.Expiry.IsZero() || time.Now().Before(t.Expiry))
}

// refreshing bounds one refresh. A request that gives up does not end it: the old
// refresh token is spent as soon as the server has read it, and an answer that
// nobody keeps would mean that the person signs in again.
const refreshing = 15 * time.Second

// refresh gives a fresh token, or nil where the person has to sign in again.
func (s *session) refresh(ctx context.Context, rec record) (*oauth2.Token, error) {
	if rec.Token.RefreshToken == "" {
		return nil, nil
	}
	cfg := oauth2.Config{
		ClientID: rec.ClientID, ClientSecret: rec.ClientSecret,
		Endpoint: oauth2.Endpoint{TokenURL: rec.TokenURL, AuthStyle: rec.AuthStyle},
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshing)
	defer cancel()
	ctx = context.WithValue(ctx, oauth2.HTTPClient, s.cfg.Client)
	fresh, err := cfg.TokenSource(ctx, &oauth2.Token{RefreshToken: rec.Token.RefreshToken}).Token()
	if refusal, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refusal.ErrorCode != "" {
		return nil, nil // refused, not unreachable
	}
	return fresh, err
}

// renew gets a token other than the refused one: from the store, where another
// process signed in, else from the person. Requests that come meanwhile wait for
// the one flow.
func (s *session) renew(ctx context.Context, req *http.Request, resp *http.Response, refused string) (string, error) {
	defer resp.Body.Close()
	for {
		s.mu.Lock()
		if usable(s.known, refused) {
			defer s.mu.Unlock()
			return s.known.AccessToken, nil
		}
		if running := s.asking; running != nil {
			s.mu.Unlock()
			select {
			case <-running:
			case <-ctx.Done():
				return "", ctx.Err()
			}
			s.mu.Lock()
			token, err := s.known, s.failed
			s.mu.Unlock()
			if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
				return "", err
			} // whose request it was gave up; this one has not
			if usable(token, refused) {
				return token.AccessToken, nil
			}
			continue
		}
		done := make(chan struct{})
		s.asking, s.known = done, nil
		s.mu.Unlock()

		token, err := s.ask(ctx, req, resp, refused)
		s.mu.Lock()
		s.known, s.failed, s.asking = token, err, nil
		s.mu.Unlock()
		close(done)
		if err != nil {
			return "", err
		}
		return token.AccessToken, nil
	}
}

// ask takes a token that another process stored, else runs the flow and stores
// what it gives.
func (s *session) ask(ctx context.Context, req *http.Request, resp *http.Response, refused string) (*oauth2.Token, error) {
	data, err := s.cfg.Store.Load(ctx, s.server)
	if err != nil {
		return nil, err
	}
	rec := decode(data)
	if resp.StatusCode == http.StatusUnauthorized && usable(rec.Token, refused) {
		return rec.Token, nil
	}
	got, err := s.flow(ctx, req, resp, rec)
	if err != nil {
		return nil, fmt.Errorf("signing in to %s: %w", s.server, err)
	}
	err = s.cfg.Store.Update(ctx, s.server, func([]byte) ([]byte, error) { return json.Marshal(got) })
	if err != nil {
		return nil, fmt.Errorf("keeping the sign-in for %s: %w", s.server, err)
	}
	return got.Token, nil
}

// decode reads a record. One that cannot be read is none: the person signs in
// again, and it is written anew.
func decode(data []byte) record {
	var rec record
	if json.Unmarshal(data, &rec) != nil {
		return record{}
	}
	return rec
}
