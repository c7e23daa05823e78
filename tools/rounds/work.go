package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// tally is what was seen, for a person to read.
type tally struct {
	calls, repeated, failed int64
	operations, ok          int
}

func (t tally) String() string {
	return fmt.Sprintf("%d calls, %d repeated, %d failed twice; %d operations, %d ended ok", t.calls, t.repeated, t.failed, t.operations, t.ok)
}

// begun is an operation and who began it.
type begun struct {
	by              *agent
	operation, name string
}

// crew is everybody's work together.
type crew struct {
	seen   counts
	mu     sync.Mutex
	begun  []begun
	faults []error
}

// work lets everybody work until ctx ends, then follows every operation to its end.
func work(ctx context.Context, o options) (tally, error) {
	var told struct {
		People []struct{ Name, Token string } `json:"people"`
	}
	if err := fetch(ctx, o.sandbox, "/_sandbox/people", &told); err != nil {
		return tally{}, fmt.Errorf("the sandbox's people: %w", err)
	}
	tokens := map[string]string{}
	for _, p := range told.People {
		tokens[p.Name] = p.Token
	}
	var c crew
	var working sync.WaitGroup
	run := strconv.FormatInt(time.Now().UnixNano(), 36) // no two runs share a name
	for _, person := range o.people {
		if tokens[person] == "" {
			return tally{}, fmt.Errorf("the sandbox knows no %s", person)
		}
		a := newAgent(o, tokens[person], &c.seen)
		working.Go(func() { c.rounds(ctx, o, a, run+"-"+person) })
	}
	working.Wait()
	ok := c.follow(context.WithoutCancel(ctx), o)
	err := c.judge(context.WithoutCancel(ctx), o)
	return tally{c.seen.calls.Load(), c.seen.repeated.Load(), c.seen.failed.Load(), len(c.begun), ok}, err
}

// rounds is one person's work. A call that has begun is not broken off by the end.
func (c *crew) rounds(ctx context.Context, o options, a *agent, name string) {
	for i := 0; (o.rounds == 0 || i < o.rounds) && ctx.Err() == nil; i++ {
		if err := c.round(context.WithoutCancel(ctx), a, fmt.Sprintf("%s-%d", name, i)); err != nil {
			c.fault(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(o.pause):
		}
	}
}

// round is a write, a read and the beginning of a long operation.
func (c *crew) round(ctx context.Context, a *agent, name string) error {
	if _, err := a.call(ctx, "create_application", map[string]any{"name": "app-" + name, "idempotency_key": "app-" + name}); err != nil {
		return err
	}
	if _, err := a.call(ctx, "list_applications", map[string]any{}); err != nil {
		return err
	}
	got, err := a.call(ctx, "create_workload", map[string]any{"name": "work-" + name, "idempotency_key": "work-" + name})
	if err != nil {
		return err
	}
	id, _ := got["operacion_id"].(string)
	if id == "" {
		return fmt.Errorf("create_workload gave no operation: %v", got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = append(c.begun, begun{a, id, "work-" + name})
	return nil
}

func (c *crew) fault(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, err)
}

// paced keeps one person's questions below the limit of ten calls a second.
const paced = 150 * time.Millisecond

// follow waits for every operation and counts those that ended well.
func (c *crew) follow(ctx context.Context, o options) (ok int) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.after, errors.New("it goes on and on"))
	defer cancel()
	for _, b := range c.begun {
		time.Sleep(paced)
		state, err := b.end(ctx)
		switch {
		case err != nil:
			c.fault(fmt.Errorf("operation %s of %s is lost: %w", b.operation, b.name, err))
		case state != "ok":
			c.fault(fmt.Errorf("operation %s of %s ended in %s", b.operation, b.name, state))
		default:
			ok++
		}
	}
	return ok
}

// end asks for an operation until it has ended, and gives its last state.
func (b begun) end(ctx context.Context) (string, error) {
	for {
		got, err := b.by.call(ctx, "ver_operacion", map[string]any{"operacion_id": b.operation})
		if err != nil {
			return "", err
		}
		if state, _ := got["estado"].(string); state != "en_curso" {
			return state, nil
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
}

// judge joins what went wrong with what the sandbox counts: each operation took
// effect once.
func (c *crew) judge(ctx context.Context, o options) error {
	var journal struct {
		Effects []struct {
			Name  string `json:"name"`
			Count int    `json:"count"`
		} `json:"effects"`
	}
	if err := fetch(ctx, o.sandbox, "/_sandbox/effects?tool=create_workload", &journal); err != nil {
		return fmt.Errorf("the sandbox's effects: %w", err)
	}
	effects := map[string]int{}
	for _, e := range journal.Effects {
		effects[e.Name] = e.Count
	}
	for _, b := range c.begun {
		if n := effects[b.name]; n != 1 {
			c.fault(fmt.Errorf("operation %s of %s took effect %d times", b.operation, b.name, n))
		}
	}
	if len(c.begun) == 0 {
		c.fault(errors.New("no operation was begun"))
	}
	return errors.Join(c.faults...)
}
