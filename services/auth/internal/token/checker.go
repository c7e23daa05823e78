// Package token judges personal tokens: by their shape, by what the platform
// said a moment ago, or else by asking the platform. It keeps no token, only
// SHA-256 sums. What a token's link may do is for others to judge.
package token

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/lru"
	"github.com/comporta-mcp/comporta/services/auth/internal/person"
)

// Platform says who a token belongs to; package person says its errors.
type Platform interface {
	Ask(ctx context.Context, token identity.Secret) (person.Person, error)
}

// Sum is a token's SHA-256.
type Sum [sha256.Size]byte

// Owner is who a good token belongs to.
type Owner struct {
	Sum    Sum
	Person person.Person
}

// ErrRefused is a token that is not valid: its shape, unknown, revoked or
// expired, or personal tokens are switched off.
var ErrRefused = errors.New("not a valid personal token")

// Checker judges tokens. It is safe for use by several goroutines.
type Checker struct {
	cfg      Config
	shape    *regexp.Regexp
	platform Platform
	now      func() time.Time
	metrics  *metrics
	flights  singleflight.Group
	slots    *semaphore.Weighted
	fair     *fair

	life context.Context // ends with Close
	stop context.CancelFunc

	mu sync.Mutex
	// Good and bad ones apart: a flood of bad ones pushes no good one out.
	good *lru.Map[Sum, verdict]
	bad  *lru.Map[Sum, verdict]
}

// verdict is the platform's answer about one token. Exactly one of owner and
// err is set.
type verdict struct {
	owner *Owner
	err   error
	until time.Time
}

// New makes a Checker; cfg is valid.
func New(cfg Config, platform Platform, o Options) *Checker {
	c := &Checker{
		cfg:      cfg,
		shape:    regexp.MustCompile(cfg.Pattern),
		platform: platform,
		now:      o.Now,
		metrics:  newMetrics(o.Metrics),
		slots:    semaphore.NewWeighted(int64(cfg.Checks)),
		fair:     newFair(cfg.Checks),
		good:     lru.New[Sum, verdict](cfg.Cached),
		bad:      lru.New[Sum, verdict](cfg.Cached),
	}
	c.life, c.stop = context.WithCancel(context.Background())
	return c
}

// Close ends the questions that are under way.
func (c *Checker) Close() { c.stop() }

// Check says who the token belongs to. The error is ErrRefused, or another one
// when the platform could not be asked, from which nothing follows.
func (c *Checker) Check(ctx context.Context, token identity.Secret) (*Owner, error) {
	return c.CheckFrom(ctx, "", token)
}

// CheckFrom is Check for a token that came from a network address, which may have
// only a part of all questions under way: see fair.
func (c *Checker) CheckFrom(ctx context.Context, address string, token identity.Secret) (*Owner, error) {
	if !c.cfg.Accept {
		return nil, ErrRefused
	}
	return c.prove(ctx, address, token)
}

// Prove is Check for a person who shows a token on our own pages, and for one
// kept there: that is no matter of Config.Accept, which is about agents.
func (c *Checker) Prove(ctx context.Context, token identity.Secret) (*Owner, error) {
	return c.prove(ctx, "", token)
}

func (c *Checker) prove(ctx context.Context, address string, token identity.Secret) (*Owner, error) {
	if !c.fits(string(token)) {
		return nil, ErrRefused
	}
	sum := Sum(sha256.Sum256([]byte(token)))
	if v, known := c.remembered(sum); known {
		return v.owner, v.err
	}
	// The question goes on when this caller leaves: others may wait for it. It is
	// part of the trace of the first one.
	life := trace.ContextWithSpan(c.life, trace.SpanFromContext(ctx))
	flight := c.flights.DoChan(string(sum[:]), func() (any, error) { return c.ask(life, question{sum, token, address}), nil })
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("check a personal token: %w", context.Cause(ctx))
	case result := <-flight:
		v := result.Val.(verdict)
		return v.owner, v.err
	}
}

// fits reports whether the whole of text is what the pattern matches, even
// where the pattern is not anchored.
func (c *Checker) fits(text string) bool {
	at := c.shape.FindStringIndex(text)
	return at != nil && at[0] == 0 && at[1] == len(text)
}

func (c *Checker) remembered(sum Sum) (verdict, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cache := range []*lru.Map[Sum, verdict]{c.good, c.bad} {
		v, found := cache.Get(sum)
		switch {
		case !found:
		case c.now().Before(v.until):
			c.metrics.hit(v)
			return v, true
		default:
			cache.Delete(sum)
		}
	}
	c.metrics.miss()
	return verdict{}, false
}

// maxPatience bounds how long a platform that asked to wait is left alone about
// a token; the same number as for a no.
const maxPatience = maxNegativeLife

// maxQueue bounds the wait for one of Config.Checks; a caller has left by then.
const maxQueue = 2 * time.Second

// question is a token that must be asked about.
type question struct {
	sum     Sum
	token   identity.Secret
	address string // where it came from; "" where that is not known
}

// ask asks the platform and remembers what is worth it.
func (c *Checker) ask(life context.Context, q question) verdict {
	release, err := c.slot(q.address)
	if err != nil {
		return verdict{err: fmt.Errorf("check a personal token: too many are being checked: %w", err)}
	}
	defer release()
	asked := c.now() // before the question: the answer may be as old as this
	who, err := c.platform.Ask(life, q.token)
	c.metrics.asked(err, c.now().Sub(asked))

	if err == nil {
		return c.remember(c.good, q.sum, verdict{owner: &Owner{Sum: q.sum, Person: who}, until: asked.Add(c.cfg.PositiveLife)})
	}
	if errors.Is(err, person.ErrRefused) {
		return c.remember(c.bad, q.sum, verdict{err: ErrRefused, until: asked.Add(c.cfg.NegativeLife)})
	}
	v := verdict{err: fmt.Errorf("check a personal token: %w", err)}
	if busy, ok := errors.AsType[*person.Busy](err); ok {
		v.until = asked.Add(min(busy.For, maxPatience))
		c.remember(c.bad, q.sum, v) // as "cannot be asked", never as a no
	}
	return v
}

// slot waits for one of the address's places and then for one of all.
func (c *Checker) slot(address string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(c.life, maxQueue)
	defer cancel()
	leave, err := c.fair.take(ctx, address)
	if err != nil {
		return nil, err
	}
	if err := c.slots.Acquire(ctx, 1); err != nil {
		leave()
		return nil, err
	}
	return func() { c.slots.Release(1); leave() }, nil
}

func (c *Checker) remember(cache *lru.Map[Sum, verdict], sum Sum, v verdict) verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	cache.Put(sum, v)
	return v
}
