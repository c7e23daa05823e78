package agent

import (
	"context"
	"errors"
	"time"
)

// Retry obeys what Comporta's errors say about repeating: only what is Retryable,
// not before After, and an Internal error once. It never repeats a call whose
// effect is unknown. Calls of other servers are not repeated: they do not say
// whether that is safe.
type Retry struct {
	// Tries is how often a call is repeated. Default 3.
	Tries int

	// MaxWait is the longest wait before a repeat that is sat out; a longer one is
	// the caller's to decide. Default 30 s.
	MaxWait time.Duration
}

// unsaid is the first wait where the server names none; it doubles.
const unsaid = time.Second

func (r *Retry) obey(ctx context.Context, call func() (*Result, error)) (*Result, error) {
	if r == nil {
		return call()
	}
	tries, maxWait := r.Tries, r.MaxWait
	if tries == 0 {
		tries = 3
	}
	if maxWait == 0 {
		maxWait = 30 * time.Second
	}
	for n := 0; ; n++ {
		result, err := call()
		e, ok := errors.AsType[*ToolError](err)
		if !ok || !e.Retryable() || n >= tries || e.Code == Internal && n >= 1 {
			return result, err
		}
		wait := e.After()
		if wait == 0 {
			wait = unsaid << n
		}
		if deadline, ok := ctx.Deadline(); wait > maxWait || ok && time.Until(deadline) < wait || !sleep(ctx, wait) {
			return result, err
		}
	}
}
