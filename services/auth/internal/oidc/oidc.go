// Package oidc owns the conversation with the platform's OpenID Connect issuer:
// it sends a browser there and learns who came back. What that person may see or
// approve, and in which companies, is package signin's and the pages'.
package oidc

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	goidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// tripLife is how long the person may take at the issuer.
const tripLife = 10 * time.Minute

// Who is a person as the issuer tells them.
type Who struct {
	ID          int64 // the platform's id of the person
	Name, Email string
	// At is when they proved it there, which may be long ago; zero: nobody says.
	At time.Time
}

// Issuer sends people to the issuer and back. It is safe for concurrent use.
type Issuer struct {
	cfg     Config
	back    string // our callback's URL
	records bus.Records
	now     func() time.Time
	http    *http.Client

	provider atomic.Pointer[goidc.Provider] // nil until the issuer was reached once
	asking   singleflight.Group             // of who the provider is
}

// New makes an Issuer; cfg is valid and complete. back is the URL at which people
// come back; records is the bucket "requests", which forgets by itself.
func New(cfg Config, back string, records bus.Records, transport http.RoundTripper, now func() time.Time) *Issuer {
	return &Issuer{cfg: cfg, back: back, records: records, now: now, http: &http.Client{Transport: transport, Timeout: cfg.Timeout}}
}

// ErrRefused: nobody came back with proof. The person can try again.
var ErrRefused = errors.New("the sign-in at the issuer did not end well")

// ErrSilent: a proof of now was asked for, and the issuer does not tell when the person
// signed in. OpenID Connect Core 3.1.2.1 demands that of it where max_age is sent; the
// person at the keyboard can take prompt and max_age out of the address.
var ErrSilent = errors.New("the issuer was asked with max_age and its token has no auth_time")

// trip is one way to the issuer and back. Only the hash of its state is a key.
type trip struct {
	Form     int       `json:"form"` // of this record: 1
	Browser  string    `json:"browser"`
	Next     string    `json:"next"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	At       time.Time `json:"at"`
	Fresh    bool      `json:"fresh,omitempty"`
	Used     bool      `json:"used"`
}

// Begin gives the address to send this browser to. Whoever comes back in it goes
// on to next. fresh asks the issuer to prove the person anew.
func (i *Issuer) Begin(ctx context.Context, browser, next string, fresh bool) (string, error) {
	client, _, err := i.client(ctx)
	if err != nil {
		return "", err
	}
	state := rand.Text()
	t := trip{Form: 1, Browser: browser, Next: next, Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), At: i.now().UTC(), Fresh: fresh}
	if err := i.write(ctx, keyOf(state), &t, 0); err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{goidc.Nonce(t.Nonce), oauth2.S256ChallengeOption(t.Verifier)}
	if fresh {
		// max_age makes auth_time a duty of the issuer.
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return client.AuthCodeURL(state, options...), nil
}

// Finish says who came back in this browser, with the parameters of the callback,
// and where they go on. The error is ErrRefused, with the cause, ErrSilent, or another
// one when somebody could not be asked.
func (i *Issuer) Finish(ctx context.Context, browser string, params url.Values) (Who, string, error) {
	t, err := i.take(ctx, browser, params.Get("state"))
	if err != nil {
		return Who{}, "", err
	}
	if iss := params.Get("iss"); iss != "" && iss != i.cfg.Issuer {
		return Who{}, t.Next, fmt.Errorf("%w: another issuer answered", ErrRefused)
	}
	if params.Get("code") == "" { // the issuer's own words may be anybody's
		return Who{}, t.Next, fmt.Errorf("%w: it gave no code", ErrRefused)
	}
	who, err := i.redeem(ctx, t, params.Get("code"))
	return who, t.Next, err
}

// redeem exchanges the code and judges the token that comes for it.
func (i *Issuer) redeem(ctx context.Context, t *trip, code string) (Who, error) {
	client, provider, err := i.client(ctx)
	if err != nil {
		return Who{}, err
	}
	ctx = goidc.ClientContext(ctx, i.http)
	tokens, err := client.Exchange(ctx, code, oauth2.VerifierOption(t.Verifier))
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.Response.StatusCode < 500 {
		return Who{}, fmt.Errorf("%w: the issuer refused the code", ErrRefused) // its answer may quote it
	}
	if err != nil {
		return Who{}, errors.New("the issuer did not answer for the code") // likewise
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := provider.Verifier(&goidc.Config{ClientID: i.cfg.ClientID, Now: i.now}).Verify(ctx, raw)
	if err != nil {
		return Who{}, fmt.Errorf("%w: the issuer's token does not hold", ErrRefused)
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(t.Nonce)) != 1 {
		return Who{}, fmt.Errorf("%w: the issuer's token is for another sign-in", ErrRefused)
	}
	return i.read(token, t.Fresh)
}

// read finds the platform's person in the token. fresh: the issuer was asked to
// prove them anew.
func (i *Issuer) read(token *goidc.IDToken, fresh bool) (Who, error) {
	var raw json.RawMessage
	if err := token.Claims(&raw); err != nil {
		return Who{}, fmt.Errorf("%w: the issuer's token cannot be read", ErrRefused)
	}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	claims := map[string]any{}
	if err := decoder.Decode(&claims); err != nil {
		return Who{}, fmt.Errorf("%w: the issuer's token cannot be read", ErrRefused)
	}
	text := func(claim string) string {
		switch value := claims[claim].(type) {
		case string:
			return strings.TrimSpace(value)
		case json.Number:
			return value.String()
		}
		return ""
	}
	id, err := strconv.ParseInt(text(i.cfg.PersonClaim), 10, 64)
	if err != nil || id <= 0 {
		return Who{}, fmt.Errorf("%w: the claim %q is no id of the platform", ErrRefused, i.cfg.PersonClaim)
	}
	at := i.proven(claims["auth_time"])
	if fresh && at.IsZero() {
		return Who{}, ErrSilent
	}
	return Who{ID: id, Name: text(i.cfg.NameClaim), Email: text(i.cfg.EmailClaim), At: at}, nil
}

// skew is by how much the issuer's clock may be behind ours; it tells whole seconds.
const skew = 10 * time.Second

// proven is when the person signed in at the issuer, by its claim auth_time: one
// who was signed in there already comes back without proving anything. Zero: it does
// not tell.
func (i *Issuer) proven(claim any) time.Time {
	number, _ := claim.(json.Number)
	seconds, err := number.Int64()
	if err != nil || seconds <= 0 {
		return time.Time{}
	}
	now := i.now().UTC()
	if at := time.Unix(seconds, 0).UTC().Add(skew); at.Before(now) {
		return at
	}
	return now
}

// client knows the issuer's endpoints, once it was reached.
func (i *Issuer) client(ctx context.Context) (*oauth2.Config, *goidc.Provider, error) {
	provider, err := i.known(ctx)
	if err != nil {
		return nil, nil, err
	}
	return &oauth2.Config{
		ClientID: i.cfg.ClientID, ClientSecret: string(i.cfg.ClientSecret), Endpoint: provider.Endpoint(),
		RedirectURL: i.back, Scopes: i.cfg.Scopes,
	}, provider, nil
}

// known asks the issuer for its endpoints until it has answered once. All who come
// meanwhile share one question, each for as long as they care to wait.
func (i *Issuer) known(ctx context.Context) (*goidc.Provider, error) {
	if provider := i.provider.Load(); provider != nil {
		return provider, nil
	}
	// The question serves others than who asked it first, and the provider keeps its
	// context for later fetches of keys; the client's timeout bounds it.
	asked := goidc.ClientContext(context.WithoutCancel(ctx), i.http)
	answer := i.asking.DoChan("", func() (any, error) {
		provider, err := goidc.NewProvider(asked, i.cfg.Issuer)
		if err == nil {
			i.provider.Store(provider)
		}
		return provider, err
	})
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("ask the OIDC issuer: %w", context.Cause(ctx))
	case got := <-answer:
		if got.Err != nil {
			return nil, fmt.Errorf("ask the OIDC issuer: %w", got.Err)
		}
		return got.Val.(*goidc.Provider), nil
	}
}

// take gives the trip of a state, once, in the browser that began it.
func (i *Issuer) take(ctx context.Context, browser, state string) (*trip, error) {
	found, err := i.records.Read(ctx, keyOf(state))
	if err != nil {
		return nil, fmt.Errorf("read a sign-in under way: %w", err)
	}
	var t trip
	if found.Value == nil || json.Unmarshal(found.Value, &t) != nil || t.Form != 1 || t.Used ||
		browser == "" || t.Browser != browser || i.now().Sub(t.At) >= tripLife {
		return nil, fmt.Errorf("%w: it is over, or was begun in another browser", ErrRefused)
	}
	used := t
	used.Used = true
	if err := i.write(ctx, keyOf(state), &used, found.Revision); bus.IsConflict(err) {
		return nil, fmt.Errorf("%w: it was ended already", ErrRefused)
	} else if err != nil {
		return nil, err
	}
	return &t, nil
}

func (i *Issuer) write(ctx context.Context, key string, t *trip, revision uint64) error {
	data, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("encode a sign-in under way: %w", err)
	}
	if _, err := i.records.Write(ctx, key, data, revision, 0); err != nil {
		return fmt.Errorf("write a sign-in under way: %w", err)
	}
	return nil
}

func keyOf(state string) string {
	sum := sha256.Sum256([]byte("oidc\n" + state))
	return "oidc-" + hex.EncodeToString(sum[:16])
}
