// Package idempotency owns the promise of contract §7: the same call with the
// same key has its effect once, and every repeat gets the first one's outcome.
// It keeps the record of each keyed call; how a write is made at most once over
// a crash is package once's, which finds its journal in that record.
package idempotency

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// Numbers of contract §7.
const (
	leaseTime  = 60 * time.Second // a crashed call's key is free again after this
	repeatWait = 10 * time.Second // how long a repeat waits for the first call
	maxKey     = 255              // characters
)

// Operations finds what a keyed call began; package operation's Store is one.
type Operations interface {
	// Get gives one of the link's operations; a no_encontrado problem where there is none.
	Get(ctx context.Context, link, id string) (*operationv1.Operation, error)
}

// Options says what the stage leans on. Store and Operations are required.
type Options struct {
	Store      *Store
	Operations Operations
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Holder names this process in the leases, for people who look at a record.
	Holder string
	// Log gets what went wrong after a call was answered; nil discards it.
	Log *slog.Logger
	// Lease and Wait replace the contract's 60 s and 10 s; 0 means those. For tests.
	Lease, Wait time.Duration
}

// Stage answers repeats of a keyed call with the first one's outcome. A call
// without a key, and a dry run, pass through. While NATS is away keyed calls are
// refused, since nobody could know them again.
func Stage(o Options) call.Stage {
	s := newStage(o)
	return func(next call.Handler) call.Handler {
		return func(ctx context.Context, c *call.Call) (*call.Answer, error) {
			if c.IdempotencyKey == "" || c.DryRun {
				return next(ctx, c)
			}
			return s.serve(ctx, c, next)
		}
	}
}

type stage struct {
	Options
}

func newStage(o Options) *stage {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Lease == 0 {
		o.Lease = leaseTime
	}
	if o.Wait == 0 {
		o.Wait = repeatWait
	}
	return &stage{o}
}

func (s *stage) serve(ctx context.Context, c *call.Call, next call.Handler) (*call.Answer, error) {
	if !validKey(c.IdempotencyKey) {
		return nil, badKey()
	}
	sum, err := digest(c.Args, c.Company.ID)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(s.Wait); ; {
		mine, first, err := s.reserve(ctx, c, sum)
		switch {
		case err != nil:
			return nil, away(err)
		case mine != nil:
			return s.run(ctx, c, mine, next)
		case !bytes.Equal(first.repeat.GetDigest(), sum):
			return nil, otherArguments(c.IdempotencyKey)
		}
		answer, mine, err := s.join(ctx, c, first)
		switch {
		case errors.Is(err, record.ErrConflict): // another repeat was faster
		case answer != nil || err != nil:
			return answer, err
		case mine != nil:
			return s.run(ctx, c, mine, next)
		}
		rest := time.Until(deadline)
		if rest <= 0 || ctx.Err() != nil {
			return nil, stillRunning()
		}
		if err := s.Store.changed(ctx, first, min(rest, s.leaseLeft(first))); err != nil {
			return nil, away(err)
		}
	}
}

// join is what a repeat makes of an earlier call's record: its outcome, or the
// record itself where the earlier call came to nothing; neither while it runs.
func (s *stage) join(ctx context.Context, c *call.Call, first *entry) (*call.Answer, *held, error) {
	if len(first.repeat.GetAnswer()) > 0 {
		answer, err := repeated(c, first.repeat.GetAnswer())
		return answer, nil, err
	}
	op, err := s.operation(ctx, c, first)
	switch {
	case err != nil:
		return nil, nil, err
	case op != nil && !wasted(op):
		return present(c, op, s.Now()), nil, nil
	case op == nil && s.leaseLeft(first) > 0:
		return nil, nil, nil
	}
	mine, err := s.takeOver(ctx, c, first, op != nil)
	if err != nil && !errors.Is(err, record.ErrConflict) {
		return nil, nil, away(err)
	}
	return nil, mine, err
}

// operation is what the first call began; nil where it has begun none.
func (s *stage) operation(ctx context.Context, c *call.Call, first *entry) (*operationv1.Operation, error) {
	if first.repeat.GetOperationId() == "" {
		return nil, nil
	}
	op, err := s.Operations.Get(ctx, c.Principal.Link.ID, first.repeat.GetOperationId())
	if problem.Is(err, problem.NoEncontrado) {
		return nil, nil
	}
	return op, err
}

// wasted: the operation ended without touching the platform, and not because
// somebody wanted that. Like any refusal it is not kept: the repeat runs.
func wasted(op *operationv1.Operation) bool {
	return op.GetState() == operationv1.State_STATE_ERROR &&
		op.GetPhase() != operationv1.Phase_PHASE_CANCELLED && !operation.Sent(op)
}

func validKey(key string) bool {
	if !utf8.ValidString(key) || utf8.RuneCountInString(key) > maxKey {
		return false
	}
	for _, r := range key {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return key != ""
}
