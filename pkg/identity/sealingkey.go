package identity

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/comporta-mcp/comporta/pkg/seal"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
)

// sealingKeyLife is how long the key in hand is used before auth is asked for
// the present one. An older key does no harm: auth opens with every key it had.
const sealingKeyLife = time.Minute

// sealingKey is auth's public key in hand.
type sealingKey struct {
	mu       sync.Mutex
	sealer   *seal.Sealer // nil: none in hand
	pages    string       // came with the key
	fetched  time.Time
	fetching bool // in the background
}

// get gives the key in hand, or nil; refresh tells the caller, and nobody else
// until done, to fetch a newer one.
func (k *sealingKey) get(now time.Time) (sealer *seal.Sealer, pages string, refresh bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.sealer != nil && !k.fetching && now.Sub(k.fetched) >= sealingKeyLife {
		k.fetching = true
		return k.sealer, k.pages, true
	}
	return k.sealer, k.pages, false
}

func (k *sealingKey) set(sealer *seal.Sealer, pages string, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sealer, k.pages, k.fetched = sealer, pages, now
}

func (k *sealingKey) done() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fetching = false
}

// forget makes the next use ask auth.
func (k *sealingKey) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sealer = nil
}

// SealingKey gives auth's public key, and the base URL of its pages for people:
// those in hand, without a trip, while there are any.
func (c *AuthClient) SealingKey(ctx context.Context) (sealer *seal.Sealer, pages string, err error) {
	sealer, pages, refresh := c.key.get(time.Now())
	if refresh {
		c.work.Go(func() {
			defer c.key.done()
			_, _, _ = c.fetchKey(c.life) // on failure the key in hand stays, and the next use tries again
		})
	}
	if sealer != nil {
		return sealer, pages, nil
	}
	return c.fetchKey(ctx)
}

func (c *AuthClient) fetchKey(ctx context.Context) (*seal.Sealer, string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answer, err := c.auth.SealingKey(ctx, &authv1.SealingKeyRequest{})
	if err != nil {
		return nil, "", fmt.Errorf("ask auth for its sealing key: %w", err)
	}
	sealer, err := seal.NewSealer(answer.GetPublicKeyset())
	if err != nil {
		return nil, "", fmt.Errorf("auth's sealing key: %w", err)
	}
	c.key.set(sealer, answer.GetPagesUrl(), time.Now())
	return sealer, answer.GetPagesUrl(), nil
}
