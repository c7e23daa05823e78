package worker

import (
	"errors"
	"fmt"
	"time"
)

// Work says how operations are carried out. A field that is 0 means its default.
type Work struct {
	Parallel      int           `help:"operations that one worker carries out at once"`
	AckWait       time.Duration `help:"a worker that shows no sign of life for this long has lost its operation to another"`
	MaxAckPending int           `help:"operations that all workers together may have begun, those that wait for the platform included"`
	MaxTries      int           `help:"failed tries after which an operation is retired"`
	MaxCrashes    int           `help:"workers that may die with an operation in hand before it is retired"`
	RetryMin      time.Duration `help:"pause before the second try; it doubles with each further one"`
	RetryMax      time.Duration `help:"longest pause between two tries"`
	HandleFor     time.Duration `help:"longest time of one try"`
	SendFor       time.Duration `help:"how long a platform that takes no requests is waited for before anything was sent"`
	VerifyMin     time.Duration `help:"first pause before looking whether the platform is done"`
	VerifyMax     time.Duration `help:"longest pause between two such looks"`
	VerifyFor     time.Duration `help:"how long the platform may take; then the result is unknown"`
	Reconcile     time.Duration `help:"how often records without a message are looked for"`
	LostAfter     time.Duration `help:"a record that nobody touched for this long may have no message; longer than any host tries to publish"`
	GiveUpAfter   time.Duration `help:"age at which an operation is ended, whatever it waits for"`
	DrainFor      time.Duration `help:"how long running operations may go on after the worker was told to stop"`
}

// defaultWork is what Work's zero fields mean.
func defaultWork() Work {
	return Work{
		Parallel:      16,
		AckWait:       15 * time.Second, // a crash costs at most twice this
		MaxAckPending: 10_000,
		MaxTries:      5,
		MaxCrashes:    30, // restarts of workers are no fault of the operation
		RetryMin:      time.Second,
		RetryMax:      30 * time.Second,
		HandleFor:     6 * time.Minute, // a write's turn, a command's 300 s and a look afterwards
		SendFor:       2 * time.Minute,
		VerifyMin:     time.Second,
		VerifyMax:     5 * time.Second,
		VerifyFor:     15 * time.Minute,
		Reconcile:     15 * time.Second,
		LostAfter:     30 * time.Second,
		GiveUpAfter:   24 * time.Hour, // longer than any outage should last
		DrainFor:      20 * time.Second,
	}
}

// Validate lists all faults.
func (c Work) Validate() error {
	c = c.orDefaults()
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	check(c.Parallel > 0, "parallel must be at least 1, not %d", c.Parallel)
	check(c.MaxAckPending >= c.Parallel, "max-ack-pending (%d) must not be below parallel (%d)", c.MaxAckPending, c.Parallel)
	check(c.MaxTries > 0, "max-tries must be at least 1, not %d", c.MaxTries)
	check(c.MaxCrashes >= c.MaxTries, "max-crashes (%d) must not be below max-tries (%d)", c.MaxCrashes, c.MaxTries)
	for name, d := range c.durations() {
		check(d > 0, "%s must be positive, not %s", name, d)
	}
	check(c.RetryMin <= c.RetryMax, "retry-min (%s) must not exceed retry-max (%s)", c.RetryMin, c.RetryMax)
	check(c.VerifyMin <= c.VerifyMax, "verify-min (%s) must not exceed verify-max (%s)", c.VerifyMin, c.VerifyMax)
	check(c.LostAfter >= c.AckWait, "lost-after (%s) must not be below ack-wait (%s)", c.LostAfter, c.AckWait)
	check(c.GiveUpAfter >= c.VerifyFor, "give-up-after (%s) must not be below verify-for (%s)", c.GiveUpAfter, c.VerifyFor)
	return errors.Join(faults...)
}

func (c Work) durations() map[string]time.Duration {
	return map[string]time.Duration{
		"ack-wait": c.AckWait, "retry-min": c.RetryMin, "retry-max": c.RetryMax, "handle-for": c.HandleFor,
		"send-for":   c.SendFor,
		"verify-min": c.VerifyMin, "verify-max": c.VerifyMax, "verify-for": c.VerifyFor,
		"reconcile": c.Reconcile, "lost-after": c.LostAfter,
		"give-up-after": c.GiveUpAfter, "drain-for": c.DrainFor,
	}
}

func (c Work) orDefaults() Work {
	d := defaultWork()
	c.Parallel = or(c.Parallel, d.Parallel)
	c.AckWait = or(c.AckWait, d.AckWait)
	c.MaxAckPending = or(c.MaxAckPending, d.MaxAckPending)
	c.MaxTries, c.MaxCrashes = or(c.MaxTries, d.MaxTries), or(c.MaxCrashes, d.MaxCrashes)
	c.RetryMin, c.RetryMax = or(c.RetryMin, d.RetryMin), or(c.RetryMax, d.RetryMax)
	c.HandleFor, c.SendFor = or(c.HandleFor, d.HandleFor), or(c.SendFor, d.SendFor)
	c.VerifyMin, c.VerifyMax = or(c.VerifyMin, d.VerifyMin), or(c.VerifyMax, d.VerifyMax)
	c.VerifyFor = or(c.VerifyFor, d.VerifyFor)
	c.Reconcile = or(c.Reconcile, d.Reconcile)
	c.LostAfter = or(c.LostAfter, d.LostAfter)
	c.GiveUpAfter, c.DrainFor = or(c.GiveUpAfter, d.GiveUpAfter), or(c.DrainFor, d.DrainFor)
	return c
}

func or[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

// retryPause is how long to wait after this many failed tries.
func (c Work) retryPause(tries uint32) time.Duration {
	pause := c.RetryMin
	for range min(max(tries, 1)-1, 30) {
		pause = min(2*pause, c.RetryMax)
	}
	return pause
}

// verifyPause is how long to wait for the platform next: soon after the write,
// when most work is done, then less and less often.
func (c Work) verifyPause(since time.Duration) time.Duration {
	return min(max(since/4, c.VerifyMin), c.VerifyMax)
}
