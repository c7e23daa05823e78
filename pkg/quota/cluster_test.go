package quota

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
)

// On a replicated bucket NATS says with another code that somebody was faster.
func TestOnAClusterTooExactlyTenAreTaken(t *testing.T) {
	cluster, err := embedded.StartCluster(t.TempDir(), 3, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	c := newClock()
	var limiters []*Limiter
	for range 3 {
		b, err := bus.Connect(bus.Config{URL: cluster.URL(), Replicas: 3}, "quota-test", slog.New(slog.DiscardHandler), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		if err := b.Ensure(t.Context()); err != nil {
			t.Fatal(err)
		}
		kv, err := b.KV(t.Context(), bus.Quota)
		if err != nil {
			t.Fatal(err)
		}
		limiters = append(limiters, New(kv, Options{Now: c.now, Patience: 5 * time.Second}))
	}
	var group sync.WaitGroup
	var taken atomic.Int32
	for i := range 30 {
		group.Go(func() {
			switch wait, err := limiters[i%3].Take(t.Context(), "link", ten); {
			case err != nil:
				t.Error(err)
			case wait == 0:
				taken.Add(1)
			}
		})
	}
	group.Wait()
	if taken.Load() != 10 {
		t.Errorf("%d were taken", taken.Load())
	}
}
