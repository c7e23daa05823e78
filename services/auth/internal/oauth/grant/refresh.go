package grant

import (
	"context"
	"errors"
	"fmt"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/ticket"
)

// maxTries bounds the repeats of a step that others come before. Each of them
// leaves a generation behind, so that the second try already finds the end.
const maxTries = 5

// Rotate uses a refresh token. allowed judges the link before anything is spent.
// A token that was used already ends its session, unless it is the one before
// the last and still within its grace: then its successor is given again. The
// error is a *fault.Fault, or another one when something cannot be asked.
func (g *Grants) Rotate(ctx context.Context, refresh identity.Secret, clientID string, allowed func(*link.Record) error) (*Record, error) {
	t, err := ticket.Read(ctx, g.keys, ticket.Refresh, refresh)
	if err != nil {
		return nil, errNone
	}
	for range maxTries {
		next, err := g.rotate(ctx, t, clientID, allowed)
		if !errors.Is(err, errLost) {
			return next, err
		}
	}
	return nil, fmt.Errorf("refresh grant %s: %w", t.Grant, errLost)
}

func (g *Grants) rotate(ctx context.Context, t ticket.Ticket, clientID string, allowed func(*link.Record) error) (*Record, error) {
	r, err := g.read(ctx, t.Grant)
	if err != nil {
		return nil, err
	}
	switch {
	case r.ClientID != clientID:
		return nil, fault.New(fault.InvalidGrant, "The refresh token was given to another client.")
	case t.Generation > r.Generation:
		return nil, errNone // of a store that was set back
	case t.Generation < r.Generation && !g.inGrace(t, r.Record):
		return nil, g.refreshReused(ctx, r.Record)
	case !g.now().Before(t.Until):
		return nil, fault.New(fault.InvalidGrant, "The refresh token has expired. Begin again at the authorization endpoint.")
	}
	if err := g.alive(ctx, r.Record, allowed); err != nil {
		return nil, err
	}
	if t.Generation < r.Generation {
		return r.Record, nil // the very same successor
	}
	next := g.step(r.Record)
	return next, g.write(ctx, next, r.revision, r.Until.Sub(g.now())+keepFor)
}

// inGrace reports whether a token is the one just rotated, whose answer may have
// been lost.
func (g *Grants) inGrace(t ticket.Ticket, r *Record) bool {
	return t.Generation+1 == r.Generation && t.Generation > 0 && g.now().Sub(r.MadeAt) < g.lives.Grace
}

// alive asks the link whether the session lives and what it may get.
func (g *Grants) alive(ctx context.Context, r *Record, allowed func(*link.Record) error) error {
	l, err := g.links.Get(ctx, LinkID(r.ID))
	if errors.Is(err, link.ErrNone) {
		return errNone
	}
	if err != nil {
		return err
	}
	if _, open := l.Session(r.ID, g.now()); !open || l.State == link.Revoked {
		return errNone
	}
	return allowed(l)
}

func (g *Grants) refreshReused(ctx context.Context, r *Record) error {
	if err := g.end(ctx, r.ID, link.MarkRefreshReused); err != nil {
		return err
	}
	return fault.New(fault.InvalidGrant, "Refresh token already used; the session was revoked") // contract §4
}

// Revoke ends the session of a refresh or access token (RFC 7009). What is no
// token of this client changes nothing and is no error.
func (g *Grants) Revoke(ctx context.Context, token identity.Secret, clientID string) error {
	t, err := ticket.Read(ctx, g.keys, ticket.Refresh, token)
	if err != nil {
		if t, err = ticket.Read(ctx, g.keys, ticket.Access, token); err != nil {
			return nil
		}
	}
	r, err := g.read(ctx, t.Grant)
	if errors.Is(err, errNone) {
		return nil
	}
	if err != nil {
		return err
	}
	if r.ClientID != clientID {
		return nil
	}
	return g.end(ctx, r.ID, "")
}

// Access is what a good access token says.
type Access struct {
	Grant string
	Area  string // "" is every approved one
}

// Access reads an access token that has not expired. Whether its session lives,
// the link tells. false: it is none, or its time is over.
func (g *Grants) Access(ctx context.Context, token identity.Secret) (Access, bool) {
	t, err := ticket.Read(ctx, g.keys, ticket.Access, token)
	if err != nil || !g.now().Before(t.Until) {
		return Access{}, false
	}
	return Access{Grant: t.Grant, Area: t.Area}, true
}
