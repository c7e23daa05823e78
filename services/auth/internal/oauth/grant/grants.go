package grant

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/ticket"
)

// Links opens and closes sessions; *link.Links does.
type Links interface {
	Get(ctx context.Context, id string) (*link.Record, error)
	Change(ctx context.Context, id string, change func(*link.Record) error) (*link.Record, error)
}

// Keys signs tickets; *seal.Opener does.
type Keys interface {
	ticket.Keys
	SigningKey() uint32
}

// Lives are how long things live: contract §4.
type Lives struct {
	Code    time.Duration
	Access  time.Duration
	Refresh time.Duration
	// Grace is how long a refresh token that was just used gives the same successor
	// again; 0 is strict.
	Grace time.Duration
}

// Grants gives, refreshes and ends sessions. It is safe for use by several
// goroutines and replicas.
type Grants struct {
	records bus.Records
	keys    Keys
	links   Links
	lives   Lives
	now     func() time.Time
}

// New makes Grants over the bucket "grants".
func New(records bus.Records, keys Keys, links Links, lives Lives, now func() time.Time) *Grants {
	return &Grants{records: records, keys: keys, links: links, lives: lives, now: now}
}

// Pair is what a token request is answered with.
type Pair struct {
	Access, Refresh identity.Secret
	AccessUntil     time.Time
	LinkID          string
}

// Pair makes the tokens of the record's present generation. The same record and
// area give the same ones.
func (g *Grants) Pair(ctx context.Context, r *Record, area string) (Pair, error) {
	access, err := ticket.Write(ctx, g.keys, r.Key, ticket.Ticket{
		Kind: ticket.Access, Grant: r.ID, Generation: r.Generation, Until: r.AccessUntil, Area: area,
	})
	if err != nil {
		return Pair{}, err
	}
	refresh, err := ticket.Write(ctx, g.keys, r.Key, ticket.Ticket{
		Kind: ticket.Refresh, Grant: r.ID, Generation: r.Generation, Until: r.RefreshUntil,
	})
	if err != nil {
		return Pair{}, err
	}
	return Pair{Access: access, Refresh: refresh, AccessUntil: r.AccessUntil, LinkID: LinkID(r.ID)}, nil
}

// step is the record after one more generation was given.
func (g *Grants) step(r *Record) *Record {
	now := g.now().UTC()
	next := *r
	next.Generation++
	next.MadeAt = now
	next.Key = g.keys.SigningKey()
	next.AccessUntil = earlier(now.Add(g.lives.Access), r.Until)
	next.RefreshUntil = earlier(now.Add(g.lives.Refresh), r.Until)
	return &next
}

// earlier cuts to whole seconds: that is what tickets say.
func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		a = b
	}
	return a.Truncate(time.Second)
}

// keepFor is how long a record outlives its session, so that an old token is
// still known for one that was used.
const keepFor = 24 * time.Hour

// stored is a record with its revision.
type stored struct {
	*Record
	revision uint64
}

// errNone: there is no such grant (any more).
var errNone = fault.New(fault.InvalidGrant, "The code or token is not known, or its session is over.")

func (g *Grants) read(ctx context.Context, id string) (stored, error) {
	found, err := g.records.Read(ctx, id)
	if err != nil {
		return stored{}, fmt.Errorf("read grant %s: %w", id, err)
	}
	if found.Value == nil {
		return stored{}, errNone
	}
	r, err := decode(id, found.Value)
	return stored{Record: r, revision: found.Revision}, err
}

// errLost: somebody else wrote first.
var errLost = errors.New("the grant was changed meanwhile")

func (g *Grants) write(ctx context.Context, r *Record, revision uint64, ttl time.Duration) error {
	data, err := r.encode()
	if err != nil {
		return err
	}
	_, err = g.records.Write(ctx, r.ID, data, revision, ttl)
	if bus.IsConflict(err) {
		return errLost
	}
	return err
}

// end closes the session, with a mark for its person unless what is "".
func (g *Grants) end(ctx context.Context, id, what string) error {
	_, err := g.links.Change(ctx, LinkID(id), func(l *link.Record) error {
		if !l.Close(id) {
			return link.ErrUnchanged
		}
		if what != "" {
			l.Note(link.Mark{At: g.now().UTC(), What: what, Grant: id})
		}
		return nil
	})
	if errors.Is(err, link.ErrNone) {
		return nil
	}
	return err
}
