package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/comporta-mcp/comporta/pkg/seal"
)

// logger is the part of slog that is used here.
type logger interface {
	Info(msg string, args ...any)
	Warn(msg string, args ...any)
}

const (
	// keysRetry is between two tries to read the keysets at the start.
	keysRetry = 500 * time.Millisecond
	// keysEvery is how soon a replica knows of new keys at the latest; hosts ask
	// as often. What comes sooner is looked up when it is met.
	keysEvery = time.Minute
)

// retryKeys opens the keysets. What another try cannot mend ends it: a master
// key that does not fit must be seen at once, not after a time-out.
func retryKeys(ctx context.Context, kv seal.Bucket, master *seal.Master, now func() time.Time, log logger) (*seal.Opener, error) {
	for {
		keys, err := seal.NewOpener(ctx, kv, master, now)
		if err == nil || errors.Is(err, seal.ErrMaster) {
			return keys, err
		}
		log.Info("waiting for the keysets", "error", err)
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("read the keysets: %w", context.Cause(ctx))
		case <-time.After(keysRetry):
		}
	}
}

// maintain keeps the keysets fresh and makes new keys in time.
func maintain(ctx context.Context, keys *seal.Opener, maxAge time.Duration, log logger) {
	every := time.NewTicker(keysEvery)
	defer every.Stop()
	for {
		if err := keys.Maintain(ctx, maxAge); err != nil && ctx.Err() == nil {
			log.Warn("the keysets were not looked after; the ones in memory stay in use", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}
