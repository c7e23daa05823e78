package record

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// How long NATS is given: an election takes 1 to 3 s, a restart a little more.
// The sum stays far below the 30 s that the most impatient clients give a call.
const (
	patience    = 6 * time.Second // all tries of one call
	attemptTime = 2 * time.Second // one try
	firstPause  = 20 * time.Millisecond
	lastPause   = 500 * time.Millisecond
	racePause   = 2 * time.Millisecond
	maxRaces    = 16 // lost races in one call; nobody should lose so many
)

// errAgain asks Persist for another try at once: a race was lost that can be won.
var errAgain = errors.New("try again")

// Persist runs attempt until it succeeds, fails for good, or patience ends. The
// three faces of a NATS that is only away for a moment ("no responders",
// "JetStream not enabled", no answer) are tried again; then the error is
// ErrUnsure if any try may have been carried out, else ErrAway.
func Persist(ctx context.Context, attempt func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	outcome, races, pause := ErrAway, 0, firstPause
	for {
		err := try(ctx, attempt)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, errAgain):
			if races++; races >= maxRaces {
				return err
			}
			pause = racePause
		case !momentary(err):
			return err
		}
		if silent(err) {
			outcome = ErrUnsure
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause + rand.N(pause)):
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", outcome, err)
		}
		pause = min(2*pause, lastPause)
	}
}

func try(ctx context.Context, attempt func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	return attempt(ctx)
}

// silent: the request left and no answer came, so it may have been carried out.
func silent(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.Is(err, nats.ErrTimeout)
}

// momentary: another try may succeed.
func momentary(err error) bool {
	if silent(err) {
		return true
	}
	for _, known := range []error{
		nats.ErrNoResponders, jetstream.ErrNoStreamResponse,
		jetstream.ErrJetStreamNotEnabled, jetstream.ErrJetStreamNotEnabledForAccount,
		nats.ErrReconnectBufExceeded, nats.ErrConnectionReconnecting, nats.ErrDisconnected,
		nats.ErrConnectionClosed,
		// The bucket or stream is being made by whoever starts first.
		jetstream.ErrBucketNotFound, jetstream.ErrStreamNotFound,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.Code == 503
}
