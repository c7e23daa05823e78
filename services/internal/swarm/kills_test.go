package swarm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/services/internal/swarm/audited"
)

// operations is how many operations the kill test begins.
const operations = 200

// TestNoOperationIsLostOrDoneTwiceWhateverIsKilled begins 200 operations while
// hosts and workers are killed with SIGKILL: at random moments, and at each
// named fault point. The platform's own idempotency is switched off.
func TestNoOperationIsLostOrDoneTwiceWhateverIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	s := newSwarm(t, options{
		calls:  1000,
		faults: "before_send=0.04,after_send=0.04,before_record=0.02,after_record=0.02,before_ack=0.04",
	})
	member := newAgent(s.tokens["member"])
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()

	stopKilling := s.killAtRandom(ctx)
	ids := s.begin(ctx, t, member)
	states := s.follow(ctx, t, member, ids)
	stopKilling()

	s.checkEffects(t, states)
	s.checkAudit(t, ids)
	t.Logf("%d operations: %v; starts: %s", len(ids), tally(states), s.startCounts())
}

// killAtRandom kills a random worker or build host every 400 ms until stopped.
func (s *swarm) killAtRandom(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		targets := append([]*process{}, s.workers...)
		for _, h := range s.hosts {
			if h.path == binary("build-mcp") {
				targets = append(targets, h)
			}
		}
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(400 * time.Millisecond):
				targets[rand.IntN(len(targets))].kill()
			}
		}
	})
	return func() { cancel(); group.Wait() }
}

// begin begins every operation and gives their ids by name.
func (s *swarm) begin(ctx context.Context, t *testing.T, member *agent) map[string]string {
	t.Helper()
	ids := map[string]string{}
	var mu sync.Mutex
	var group sync.WaitGroup
	names := make(chan string)
	for range 8 {
		group.Go(func() {
			for name := range names {
				got, err := member.insist(ctx, s.urls["build"], "create_workload", map[string]any{"name": name, "idempotency_key": "key-" + name})
				id, _ := got.value["operacion_id"].(string)
				if err != nil || id == "" {
					t.Errorf("%s was not begun: %v %v", name, got, err)
					continue
				}
				mu.Lock()
				ids[name] = id
				mu.Unlock()
			}
		})
	}
	for i := range operations {
		names <- fmt.Sprintf("w-%03d", i)
	}
	close(names)
	group.Wait()
	return ids
}

// follow asks for every operation, on all hosts, until it ended.
func (s *swarm) follow(ctx context.Context, t *testing.T, member *agent, ids map[string]string) map[string]string {
	t.Helper()
	everywhere := append(append([]string{}, s.urls["storage"]...), s.urls["docs"]...)
	everywhere = append(everywhere, s.urls["build"]...)
	states := map[string]string{}
	for name, id := range ids {
		for {
			got, err := member.insist(ctx, everywhere, "ver_operacion", map[string]any{"operacion_id": id})
			if err != nil {
				t.Errorf("%s (%s): %v", name, id, err)
				states[name] = "lost"
				break
			}
			if state, _ := got.value["estado"].(string); state != "en_curso" {
				states[name] = state
				if state != "ok" {
					t.Errorf("%s (%s) ended in %v", name, id, got)
				}
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	return states
}

// checkEffects counts at the sandbox: each operation that is ok took effect
// once, and none took effect twice.
func (s *swarm) checkEffects(t *testing.T, states map[string]string) {
	t.Helper()
	var journal struct {
		Effects []struct {
			Name  string `json:"name"`
			Count int    `json:"count"`
		} `json:"effects"`
	}
	getJSON(t, s.platURL+"/_sandbox/effects?tool=create_workload", &journal)
	counts := map[string]int{}
	for _, e := range journal.Effects {
		counts[e.Name] = e.Count
		if e.Count > 1 {
			t.Errorf("%s took effect %d times", e.Name, e.Count)
		}
	}
	for name, state := range states {
		if state == "ok" && counts[name] != 1 {
			t.Errorf("%s is ok and took effect %d times", name, counts[name])
		}
	}
	t.Logf("the sandbox counts %d effects on %d names", len(journal.Effects), len(counts))
}

// checkAudit looks for an intent of the call that began each operation.
func (s *swarm) checkAudit(t *testing.T, ids map[string]string) {
	t.Helper()
	eventually(t, 30*time.Second, "the audit names every operation", func() error {
		named, err := audited.Operations(t.Context(), s.natsURL)
		if err != nil {
			return err
		}
		for name, id := range ids {
			if !named[id] {
				return fmt.Errorf("no record names operation %s (%s)", id, name)
			}
		}
		return nil
	})
}

func tally(states map[string]string) map[string]int {
	counts := map[string]int{}
	for _, state := range states {
		counts[state]++
	}
	return counts
}

func (s *swarm) startCounts() string {
	text := ""
	for _, p := range append(append([]*process{}, s.workers...), s.hosts...) {
		text += fmt.Sprintf("%s %d ", p.name, p.times())
	}
	return text
}
