package once

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// end is how a write ended for its caller.
type end int

const (
	endDone end = iota
	endRefused
	endUnknown
	endNever
)

// drive runs one write through a random schedule of crashes, losses, delays and
// failing journals, and comes back the way a worker (patient) or an agent with
// an idempotency key does, until there is an end.
func drive(world *world, r platform.Request, patient bool) (end, *journal) {
	w := &Writer{Platform: world, Tools: tools, Settle: settle, Patient: patient, Now: world.clock, Sleep: world.sleep}
	chaos := world.rng.Float64() * 0.4 // so that schedules differ in how bad they are
	for range world.rng.IntN(6) {
		world.fates = append(world.fates, fate(world.rng.IntN(int(fates))))
	}
	if world.rng.IntN(3) == 0 {
		world.turn = time.Duration(world.rng.IntN(25)) * time.Second
	}
	dies := func() {
		if world.rng.Float64() < chaos {
			panic(errCrash)
		}
	}
	j := &journal{after: dies, before: func() error {
		dies()
		if world.rng.Float64() < chaos/2 {
			return errors.New("the journal is away")
		}
		return nil
	}}
	for round := range 200 {
		if round == 60 {
			chaos = 0 // no storm lasts for ever
		}
		_, err, crashed := run(w, r, j)
		switch {
		case crashed:
			world.pass(time.Duration(world.rng.IntN(60)) * time.Second)
		case err == nil:
			return endDone, j
		case platform.IsUnknown(err):
			if j.step.GetState() == operationv1.Step_STATE_UNKNOWN {
				return endUnknown, j
			}
			world.pass(time.Duration(world.rng.IntN(20)) * time.Second) // the agent repeats with its key
		case problem.As(err).Retryable:
			wait := problem.As(err).RetryAfter
			if later, ok := errors.AsType[*Later](err); ok {
				wait = later.After
			}
			world.pass(wait)
		default:
			return endRefused, j
		}
	}
	return endNever, j
}

func thing(name string, size int) map[string]any {
	return map[string]any{"name": name, "size": json.Number(fmt.Sprint(size)), "secret": "s"}
}

func TestACreationNeverHappensTwiceAndIsNeverSaidDoneWhenItIsNot(t *testing.T) {
	ends := map[end]int{}
	for seed := range uint64(10_000) {
		world := newWorld(seed)
		for range world.rng.IntN(3) { // of the same name, there before
			world.add(thing("shop", world.rng.IntN(3)))
		}
		got, j := drive(world, platform.Request{Tool: createTool, Args: thing("shop", 1)}, seed%2 == 0)
		world.pass(settle)
		ends[got]++
		if world.effects > 1 {
			t.Fatalf("seed %d: %d effects, journal %v", seed, world.effects, j.log)
		}
		switch {
		case got == endDone && world.effects != 1, got == endRefused && world.effects != 0, got == endNever:
			t.Fatalf("seed %d: end %d with %d effects, journal %v", seed, got, world.effects, j.log)
		}
	}
	t.Logf("done %d, refused %d, unknown %d", ends[endDone], ends[endRefused], ends[endUnknown])
	if ends[endDone] == 0 || ends[endRefused] == 0 || ends[endUnknown] == 0 {
		t.Errorf("the schedules do not reach every end: %v", ends)
	}
}

func TestACreationThatNoListShowsNeverHappensTwice(t *testing.T) {
	for seed := range uint64(3_000) {
		world := newWorld(seed)
		got, j := drive(world, platform.Request{Tool: actTool, Args: thing("shop", 1)}, seed%2 == 0)
		world.pass(settle)
		if world.effects > 1 || got == endNever || got == endDone && world.effects != 1 || got == endRefused && world.effects != 0 {
			t.Fatalf("seed %d: end %d with %d effects, journal %v", seed, got, world.effects, j.log)
		}
	}
}

func TestAChangeSaidDoneIsThere(t *testing.T) {
	for seed := range uint64(3_000) {
		world := newWorld(seed)
		id := world.add(thing("shop", 1))["id"]
		args := thing("renamed", 2)
		args["thing_id"] = id
		got, j := drive(world, platform.Request{Tool: updateTool, Args: args}, seed%2 == 0)
		world.pass(settle)
		renamed := world.things[0]["name"] == "renamed"
		if got == endNever || got == endDone && !renamed || got == endRefused && renamed {
			t.Fatalf("seed %d: end %d, renamed %t, journal %v", seed, got, renamed, j.log)
		}
	}
}

func TestADeletionSaidDoneIsGoneAndHappensOnce(t *testing.T) {
	for seed := range uint64(3_000) {
		world := newWorld(seed)
		id := world.add(thing("shop", 1))["id"]
		got, j := drive(world, platform.Request{Tool: deleteTool, Args: map[string]any{"thing_id": id}}, seed%2 == 0)
		world.pass(settle)
		gone := len(world.things) == 0
		if got == endNever || world.effects > 1 || got == endDone && !gone || got == endRefused && gone {
			t.Fatalf("seed %d: end %d, gone %t, journal %v", seed, got, gone, j.log)
		}
	}
}
