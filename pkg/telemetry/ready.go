package telemetry

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"
)

// checkTimeout is what one check may take; a prober's own patience is often 1 s.
const checkTimeout = time.Second

// check is one named condition of being ready. At most one run of it is under
// way, so that one that hangs does not pile up with each probe.
type check struct {
	run func(context.Context) error

	mu      sync.Mutex
	running *checkRun
}

type checkRun struct {
	done chan struct{}
	err  error // to be read after done
}

type checkResult struct {
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

func (a *admin) add(name string, run func(context.Context) error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.checks[name] = &check{run: run}
}

// readyz answers 200 when every check passes and no drain has begun, else 503.
// What works badly but works stands in "degraded".
func (a *admin) readyz(w http.ResponseWriter, r *http.Request) {
	results := a.runChecks(r.Context())
	draining := a.draining.Load()
	ready := !draining
	for _, result := range results {
		ready = ready && result.OK
	}
	status := http.StatusOK
	if !ready {
		status = http.StatusServiceUnavailable
	}
	body := map[string]any{"ready": ready, "draining": draining, "checks": results}
	if faults := a.tellFaults(); len(faults) > 0 {
		body["degraded"] = faults
	}
	writeJSON(w, status, body)
}

// tellFaults gives what works badly without making the service unready.
func (a *admin) tellFaults() map[string]map[string]string {
	a.mu.Lock()
	faults := maps.Clone(a.faults)
	a.mu.Unlock()
	told := map[string]map[string]string{}
	for name, list := range faults {
		for what, why := range list() {
			if told[name] == nil {
				told[name] = map[string]string{}
			}
			told[name][what] = a.masker.Text(why)
		}
	}
	return told
}

func (a *admin) runChecks(ctx context.Context) map[string]checkResult {
	a.mu.Lock()
	checks := maps.Clone(a.checks)
	a.mu.Unlock()
	results := make(map[string]checkResult, len(checks))
	var mu sync.Mutex
	var wg sync.WaitGroup
	for name, c := range checks {
		wg.Go(func() {
			result := checkResult{OK: true}
			if err := c.do(ctx); err != nil {
				result = checkResult{Error: a.masker.Text(err.Error())}
			}
			mu.Lock()
			defer mu.Unlock()
			results[name] = result
		})
	}
	wg.Wait()
	return results
}

// do waits for a run of the check, no longer than checkTimeout, whether or not the
// check heeds its context. Probes that come together share one run.
func (c *check) do(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	run := c.join()
	select {
	case <-run.done:
		return run.err
	case <-ctx.Done():
		return fmt.Errorf("no answer within %s", checkTimeout)
	}
}

// join gives the run that is under way, or begins one.
func (c *check) join() *checkRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		return c.running
	}
	run := &checkRun{done: make(chan struct{})}
	c.running = run
	go func() {
		// Its own context: the prober that began it may leave before the others.
		ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
		defer cancel()
		run.err = c.guarded(ctx)
		c.mu.Lock()
		c.running = nil
		c.mu.Unlock()
		close(run.done)
	}()
	return run
}

func (c *check) guarded(ctx context.Context) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the check panicked: %v", fault)
		}
	}()
	return c.run(ctx)
}
