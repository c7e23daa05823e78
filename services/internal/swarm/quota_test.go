package swarm

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

// TestTenCallsASecondOverAllHosts makes 12 calls within one second with one
// token over two hosts, as they are and while one auth restarts.
func TestTenCallsASecondOverAllHosts(t *testing.T) {
	s := newSwarm(t, options{})
	t.Run("all is well", func(t *testing.T) {
		s.twelveCalls(t, s.tokens["member"])
	})
	t.Run("one auth restarts meanwhile", func(t *testing.T) {
		s.auths[0].kill()
		s.twelveCalls(t, s.tokens["outsider"])
		s.auths[0].awaitReady(t)
	})
}

// twelveCalls makes 12 calls at once, again where the machine was too slow for
// them to fall within one second.
func (s *swarm) twelveCalls(t *testing.T, token string) {
	t.Helper()
	for range 10 {
		counts, took := s.burst(t, token)
		if took > 900*time.Millisecond {
			time.Sleep(1500 * time.Millisecond) // the window is empty again
			continue
		}
		if counts["200"] != 10 || counts["limite_excedido"] != 2 {
			t.Errorf("of 12 calls in one second: %v, want 10 to succeed and 2 limite_excedido", counts)
		}
		return
	}
	t.Error("the machine never made 12 calls within one second")
}

// burst makes 12 calls over two hosts and counts their outcomes.
func (s *swarm) burst(t *testing.T, token string) (map[string]int, time.Duration) {
	t.Helper()
	a := newAgent(token)
	bases := []string{s.urls["build"][0], s.urls["storage"][0]}
	results := make([]string, 12)
	var group sync.WaitGroup
	begin := time.Now()
	for i := range results {
		group.Go(func() {
			got, err := a.call(context.WithoutCancel(t.Context()), bases[i%2], "listar_empresas", map[string]any{})
			switch {
			case err != nil:
				results[i] = err.Error()
			case got.isError:
				results[i] = got.code()
			default:
				results[i] = fmt.Sprint(got.status)
			}
		})
	}
	group.Wait()
	took := time.Since(begin)
	counts := map[string]int{}
	for _, r := range results {
		counts[r]++
	}
	return counts, took
}
