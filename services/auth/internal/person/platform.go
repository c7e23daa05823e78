// Package person asks the platform who a personal token belongs to. Where that
// stands is configuration. It remembers nothing: package token does.
package person

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// Person is who a token belongs to, in the one company it belongs to.
type Person struct {
	ID          int64
	Name        string
	Email       string
	SystemAdmin bool
	ReadOnly    bool
	CompanyID   int64
	CompanyName string
}

// ErrRefused: the platform does not accept the token.
var ErrRefused = errors.New("the platform refuses the token")

// Busy is a platform that asks for patience (429, or 503 with Retry-After).
type Busy struct{ For time.Duration }

// Error says so.
func (b *Busy) Error() string { return fmt.Sprintf("the platform asks to wait %s", b.For) }

// Answered is a platform that was reached and gave an answer that says nothing
// about the token: an error of its own, a proxy's page, a redirect.
type Answered struct{ Status int }

// Error names the status.
func (a *Answered) Error() string { return fmt.Sprintf("the platform answered %d", a.Status) }

// Platform asks the platform at a base URL.
type Platform struct {
	base   string
	cfg    Config
	client *http.Client
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 1 << 20

// New makes a Platform. transport carries the requests; redirects are not
// followed, since they would carry the token to a place that nobody configured.
func New(baseURL string, cfg Config, transport http.RoundTripper) *Platform {
	return &Platform{
		base: strings.TrimRight(baseURL, "/"),
		cfg:  cfg,
		client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Ask says who token belongs to. The error is ErrRefused; *Busy or *Answered; or
// another one when the platform could not be reached or understood.
func (p *Platform) Ask(ctx context.Context, token identity.Secret) (Person, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Timeout)
	defer cancel()
	var user, company answer
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() (err error) { user, err = p.get(ctx, p.cfg.UserPath, token); return err })
	both.Go(func() (err error) { company, err = p.get(ctx, p.cfg.CompanyPath, token); return err })
	if err := both.Wait(); err != nil {
		return Person{}, err
	}
	return p.read(user, company)
}

func (p *Platform) read(user, company answer) (Person, error) {
	personID, err := user.id(p.cfg.PersonID)
	if err != nil {
		return Person{}, fmt.Errorf("%s: %w", p.cfg.UserPath, err)
	}
	companyID, err := company.id(p.cfg.CompanyID)
	if err != nil {
		return Person{}, fmt.Errorf("%s: %w", p.cfg.CompanyPath, err)
	}
	email := user.text(p.cfg.Email)
	name := strings.TrimSpace(user.text(p.cfg.FirstName) + " " + user.text(p.cfg.LastName))
	return Person{
		ID:          personID,
		Name:        cmp.Or(name, email),
		Email:       email,
		SystemAdmin: user.flag(p.cfg.Admin) || slices.Contains(p.cfg.Admins, personID),
		ReadOnly:    user.flag(p.cfg.ReadOnly),
		CompanyID:   companyID,
		CompanyName: company.text(p.cfg.CompanyName),
	}, nil
}

func (p *Platform) get(ctx context.Context, path string, token identity.Secret) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+path, nil)
	if err != nil {
		return nil, fmt.Errorf("ask the platform: %w", err)
	}
	request.Header.Set("Authorization", "Token "+string(token))
	request.Header.Set("Accept", "application/json")
	response, err := p.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask the platform: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err := judge(response); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the platform's answer of %s: %w", path, err)
	}
	var a answer
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.UseNumber()
	if decoder.Decode(&a) != nil || a == nil { // the decoder's error may quote the body
		return nil, fmt.Errorf("the platform's answer of %s is no JSON object", path)
	}
	return a, nil
}

// judge tells by the status and the type what an answer is worth.
func judge(r *http.Response) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	page := kind == "text/html" // a proxy's word, not the platform's: it says nothing about the token
	switch {
	case r.StatusCode == http.StatusOK && !page:
		return nil
	case (r.StatusCode == http.StatusUnauthorized || r.StatusCode == http.StatusForbidden) && !page:
		return ErrRefused
	case r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusServiceUnavailable:
		if wait, told := retryAfter(r); told {
			return &Busy{For: wait}
		}
	}
	return &Answered{Status: r.StatusCode}
}

// retryAfter reads the header in both of its forms.
func retryAfter(r *http.Response) (time.Duration, bool) {
	value := r.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 3600)) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		if wait := time.Until(at); wait > 0 {
			return wait, true
		}
	}
	return 0, false
}
