package grant

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/ticket"
)

// Begin is what a person's approval gives a client a code for.
type Begin struct {
	LinkID      string
	ClientID    string
	RedirectURI string
	Repeat      bool // the token request must repeat RedirectURI
	Challenge   string
	Until       time.Time // end of the session
}

// Begin makes a grant and gives its code. Nothing is open until the code is used.
func (g *Grants) Begin(ctx context.Context, b Begin) (identity.Secret, error) {
	now := g.now().UTC()
	r := &Record{
		ID: newID(b.LinkID), ClientID: b.ClientID,
		CreatedAt: now, Until: b.Until.UTC().Truncate(time.Second),
		RedirectURI: b.RedirectURI, Repeat: b.Repeat, Challenge: b.Challenge,
	}
	if err := g.write(ctx, r, 0, 10*g.lives.Code); err != nil {
		return "", fmt.Errorf("begin a grant: %w", err)
	}
	return ticket.Write(ctx, g.keys, g.keys.SigningKey(), ticket.Ticket{
		Kind: ticket.Code, Grant: r.ID, Until: now.Add(g.lives.Code).Add(time.Second - 1).Truncate(time.Second),
	})
}

// Exchange is what a client presents for its tokens.
type Exchange struct {
	Code        identity.Secret
	ClientID    string
	RedirectURI string
	Verifier    string
	// Allowed judges the link before the code is spent.
	Allowed func(*link.Record) error
}

// Redeem uses a code. A code that was used already ends the session that it
// gave, whoever presents it (contract §4). The error is a *fault.Fault, or
// another one when something cannot be asked.
func (g *Grants) Redeem(ctx context.Context, x Exchange) (*Record, error) {
	t, err := ticket.Read(ctx, g.keys, ticket.Code, x.Code)
	if err != nil {
		return nil, errNone
	}
	r, err := g.read(ctx, t.Grant)
	if err != nil {
		return nil, err
	}
	if r.Generation > 0 {
		return nil, g.codeReused(ctx, r.Record)
	}
	if err := g.fits(t, r.Record, x); err != nil {
		return nil, err
	}
	return g.redeem(ctx, r, x)
}

// fits judges what the code is bound to.
func (g *Grants) fits(t ticket.Ticket, r *Record, x Exchange) error {
	switch {
	case x.ClientID != r.ClientID:
		return fault.New(fault.InvalidGrant, "The code was given to another client.")
	case !g.now().Before(t.Until):
		return fault.New(fault.InvalidGrant, "The code has expired. Begin again at the authorization endpoint.")
	case x.RedirectURI != r.RedirectURI && (x.RedirectURI != "" || r.Repeat):
		return fault.New(fault.InvalidGrant, "redirect_uri is not the one of the authorization request.")
	case !verifies(x.Verifier, r.Challenge):
		return fault.New(fault.InvalidGrant, "code_verifier does not fit the code_challenge of the authorization request.")
	}
	return nil
}

// verifierForm is RFC 7636 §4.1's.
var verifierForm = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

func verifies(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	want := base64.RawURLEncoding.EncodeToString(sum[:])
	return verifierForm.MatchString(verifier) && subtle.ConstantTimeCompare([]byte(want), []byte(challenge)) == 1
}

// redeem opens the session first and spends the code then: whoever dies in
// between leaves a session without tokens, and a code that still works.
func (g *Grants) redeem(ctx context.Context, r stored, x Exchange) (*Record, error) {
	now := g.now().UTC()
	_, err := g.links.Change(ctx, LinkID(r.ID), func(l *link.Record) error {
		if l.State == link.Revoked {
			return errNone
		}
		if err := x.Allowed(l); err != nil {
			return err
		}
		if !l.Open(link.Session{Grant: r.ID, At: now, Until: r.Until}) {
			return link.ErrUnchanged
		}
		return nil
	})
	if errors.Is(err, link.ErrNone) {
		return nil, errNone
	}
	if err != nil {
		return nil, err
	}
	next := g.step(r.Record)
	err = g.write(ctx, next, r.revision, r.Until.Sub(now)+keepFor)
	if errors.Is(err, errLost) {
		return nil, g.codeReused(ctx, r.Record) // the other one was the first use, this is the second
	}
	if err != nil {
		return nil, err
	}
	return next, nil
}

func (g *Grants) codeReused(ctx context.Context, r *Record) error {
	if err := g.end(ctx, r.ID, link.MarkCodeReused); err != nil {
		return err
	}
	return fault.New(fault.InvalidGrant, "Code already used; the session that it gave was revoked")
}
