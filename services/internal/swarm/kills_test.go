package swarm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
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
		faults: "before_send=0.03,after_send=0.03,before_record=0.01,after_record=0.01,before_ack=0.02",
	})
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()

	s.loseAnswers(t)
	answered.Store(0)
	stopKilling := s.killAtRandom(ctx)
	ids := s.begin(ctx, t)
	states := s.follow(ctx, t, ids)
	stopKilling()

	s.checkEffects(t, states)
	s.checkAudit(t, ids, answered.Load())
	t.Logf("%d operations: %v; starts: %s", len(ids), tally(states), s.startCounts())
}

// loseAnswers makes the platform carry some creations out and then close the
// connection, or say that it failed.
func (s *swarm) loseAnswers(t *testing.T) {
	t.Helper()
	rules := `[{"method":"POST","path":"/workspace/workloads","kind":"close-after","probability":0.03},
		{"method":"POST","path":"/workspace/workloads","kind":"500-after","probability":0.03}]`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.platURL+"/_sandbox/faults", strings.NewReader(rules))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the sandbox refused the faults: %s", resp.Status)
	}
}

// people are who begins the operations, each in a company of their own.
var people = []string{"member", "admin_2", "outsider"}

// owner is who began the operation of this number.
func (s *swarm) owner(i int) *agent { return newAgent(s.tokens[people[i%len(people)]]) }

// killAtRandom kills a random worker or build host every 1.2 s until stopped.
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
			case <-time.After(1200 * time.Millisecond):
				targets[rand.IntN(len(targets))].kill()
			}
		}
	})
	return func() { cancel(); group.Wait() }
}

// begun is one operation that a person began.
type begun struct {
	name, id string
	owner    *agent
}

// begin begins every operation.
func (s *swarm) begin(ctx context.Context, t *testing.T) []begun {
	t.Helper()
	var all []begun
	var mu sync.Mutex
	var group sync.WaitGroup
	numbers := make(chan int)
	for range 8 {
		group.Go(func() {
			for i := range numbers {
				b := begun{name: fmt.Sprintf("w-%03d", i), owner: s.owner(i)}
				got, err := b.owner.insist(ctx, s.urls["build"], "create_workload", map[string]any{"name": b.name, "idempotency_key": "key-" + b.name})
				b.id, _ = got.value["operacion_id"].(string)
				if err != nil || b.id == "" {
					t.Errorf("%s was not begun: %v %v", b.name, got, err)
					continue
				}
				mu.Lock()
				all = append(all, b)
				mu.Unlock()
			}
		})
	}
	for i := range operations {
		numbers <- i
	}
	close(numbers)
	group.Wait()
	return all
}

// follow asks for every operation, on all hosts, until it ended.
func (s *swarm) follow(ctx context.Context, t *testing.T, all []begun) map[string]string {
	t.Helper()
	everywhere := append(append([]string{}, s.urls["storage"]...), s.urls["docs"]...)
	everywhere = append(everywhere, s.urls["build"]...)
	states := map[string]string{}
	for _, b := range all {
		for {
			got, err := b.owner.insist(ctx, everywhere, "ver_operacion", map[string]any{"operacion_id": b.id})
			if err != nil {
				t.Errorf("%s (%s): %v", b.name, b.id, err)
				states[b.name] = "lost"
				break
			}
			if state, _ := got.value["estado"].(string); state != "en_curso" {
				states[b.name] = state
				if state != "ok" {
					t.Errorf("%s (%s) ended in %v", b.name, b.id, got)
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
