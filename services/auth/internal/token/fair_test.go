package token

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/person"
)

// hanging answers about invented tokens only when it is told to.
type hanging struct{ until chan struct{} }

func (h hanging) Ask(ctx context.Context, t identity.Secret) (person.Person, error) {
	if strings.HasSuffix(string(t), "good") {
		return person.Person{ID: 7}, nil
	}
	select {
	case <-h.until:
	case <-ctx.Done():
	}
	return person.Person{}, person.ErrRefused
}

// One address floods with invented tokens while the platform is slow; the first
// check of somebody else is not held up by it.
func TestAFloodFromOneAddressLeavesRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		platform := hanging{make(chan struct{})}
		cfg := Defaults()
		cfg.Pattern, cfg.Checks = `^[a-z0-9]+$`, 8
		c := New(cfg, platform, Options{Now: time.Now, Metrics: prometheus.NewRegistry()})
		defer c.Close()
		var flood sync.WaitGroup
		for i := range 200 {
			flood.Go(func() {
				_, _ = c.CheckFrom(t.Context(), "192.0.2.1", identity.Secret(strings.Repeat("x", i+1)))
			})
		}
		synctest.Wait()
		if owner, err := c.CheckFrom(t.Context(), "198.51.100.7", "good"); err != nil || owner.Person.ID != 7 {
			t.Errorf("somebody else gets %v, %v", owner, err)
		}
		if owner, err := c.Check(t.Context(), "alsogood"); err != nil || owner.Person.ID != 7 {
			t.Errorf("a worker gets %v, %v", owner, err)
		}
		if _, err := c.CheckFrom(t.Context(), "192.0.2.1", "evengood"); err == nil || errors.Is(err, ErrRefused) {
			t.Errorf("the flooding address gets %v, want that it cannot be asked", err)
		}
		close(platform.until)
		flood.Wait()
		c.fair.mu.Lock()
		defer c.fair.mu.Unlock()
		if len(c.fair.using) != 0 {
			t.Errorf("%d addresses are still remembered", len(c.fair.using))
		}
	})
}
