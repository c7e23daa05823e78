package swarm

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestNATSStopsAndStartsUnderLoad keeps calling while NATS is away: writes are
// refused, reads may go on, and all recovers by itself.
func TestNATSStopsAndStartsUnderLoad(t *testing.T) {
	s := newSwarm(t, options{calls: 1000})
	a := newAgent(s.tokens["member"])
	var written, read, refused atomic.Int64
	var names sync.Map
	ctx, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	for worker := range 4 {
		load.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				name := fmt.Sprintf("n-%d-%d", worker, i)
				got, err := a.call(ctx, s.urls["build"][i%2], "create_application", map[string]any{"name": name, "idempotency_key": name})
				if err == nil && got.status == http.StatusOK && !got.isError {
					names.Store(name, true)
					written.Add(1)
				} else if err == nil {
					refused.Add(1)
				}
				if got, err := a.call(ctx, s.urls["build"][i%2], "list_functions", map[string]any{}); err == nil && !got.isError {
					read.Add(1)
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	time.Sleep(2 * time.Second)
	s.nats.stop()
	time.Sleep(4 * time.Second)
	whileAway, err := a.call(t.Context(), s.urls["build"][0], "create_application", map[string]any{"name": "while-away", "idempotency_key": "while-away"})
	if err != nil || (whileAway.status == http.StatusOK && !whileAway.isError) {
		t.Errorf("a write while NATS is away: %v %v, want a refusal", whileAway, err)
	}
	s.nats.resume()
	s.nats.awaitReady(t)
	eventually(t, 20*time.Second, "writes work again", func() error {
		got, err := a.call(t.Context(), s.urls["build"][0], "create_application", map[string]any{"name": "afterwards", "idempotency_key": "afterwards"})
		if err != nil || got.isError || got.status != http.StatusOK {
			return fmt.Errorf("%v %w", got, err)
		}
		return nil
	})
	time.Sleep(time.Second)
	stop()
	load.Wait()
	s.checkNames(t, &names)
	t.Logf("written %d, read %d, refused %d", written.Load(), read.Load(), refused.Load())
}

// checkNames looks for each name that was answered as created: exactly one effect.
func (s *swarm) checkNames(t *testing.T, names *sync.Map) {
	t.Helper()
	var journal struct {
		Effects []struct {
			Name  string `json:"name"`
			Count int    `json:"count"`
		} `json:"effects"`
	}
	getJSON(t, s.platURL+"/_sandbox/effects?tool=create_application", &journal)
	counts := map[string]int{}
	for _, e := range journal.Effects {
		counts[e.Name] = e.Count
	}
	names.Range(func(name, _ any) bool {
		if counts[name.(string)] != 1 {
			t.Errorf("%s was answered as created and took effect %d times", name, counts[name.(string)])
		}
		return true
	})
}

// TestWithoutAuthNothingRuns stops both auths: 503 everywhere, and recovery by itself.
func TestWithoutAuthNothingRuns(t *testing.T) {
	s := newSwarm(t, options{calls: 1000})
	a := newAgent(s.tokens["member"])
	for _, p := range s.auths {
		p.stop()
	}
	var before struct {
		Total int `json:"total"`
	}
	getJSON(t, s.platURL+"/_sandbox/effects", &before)
	for area, bases := range s.urls {
		got, err := a.call(t.Context(), bases[0], "listar_empresas", map[string]any{})
		if err != nil || got.status != http.StatusServiceUnavailable {
			t.Errorf("%s without auth: %v %v, want 503", area, got, err)
		}
	}
	got, err := a.call(t.Context(), s.urls["build"][0], "create_application", map[string]any{"name": "no-auth"})
	if err != nil || got.status != http.StatusServiceUnavailable {
		t.Errorf("a write without auth: %v %v, want 503", got, err)
	}
	var after struct {
		Total int `json:"total"`
	}
	getJSON(t, s.platURL+"/_sandbox/effects", &after)
	if after.Total != before.Total {
		t.Errorf("something took effect without auth: %d effects, were %d", after.Total, before.Total)
	}
	for _, p := range s.auths {
		p.resume()
	}
	eventually(t, 20*time.Second, "calls work again", func() error {
		got, err := a.call(t.Context(), s.urls["build"][0], "listar_empresas", map[string]any{})
		if err != nil || got.status != http.StatusOK {
			return fmt.Errorf("%v %w", got, err)
		}
		return nil
	})
}
