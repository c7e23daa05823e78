package once

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

func writerOn(world *world, patient bool) *Writer {
	return &Writer{Platform: world, Tools: tools, Settle: settle, Patient: patient, Now: world.clock, Sleep: world.sleep}
}

// sentStep is what a process leaves that died long ago, after it sent.
func sentStep(world *world, before ...string) *operationv1.Step {
	return &operationv1.Step{
		State: operationv1.Step_STATE_SENT, Sends: 1, Before: before,
		SentAt: timestamppb.New(world.now.Add(-time.Minute)),
	}
}

func TestWhatALookAfterACrashConcludes(t *testing.T) {
	type given struct {
		things  []map[string]any // what the platform holds, ids from 101
		before  []string
		request platform.Request
		sends   uint32
	}
	create := platform.Request{Tool: createTool, Args: thing("shop", 1)}
	update := platform.Request{Tool: updateTool, Args: map[string]any{"thing_id": json.Number("101"), "size": json.Number("2")}}
	remove := platform.Request{Tool: deleteTool, Args: map[string]any{"thing_id": json.Number("101")}}
	for name, c := range map[string]struct {
		given
		sends   int // that follow
		unknown bool
		missing bool
	}{
		"a creation that is there is not sent again":                  {given{things: []map[string]any{thing("shop", 1)}, request: create}, 0, false, false},
		"a creation that is not there is sent again":                  {given{request: create}, 1, false, false},
		"what was there before is not taken for the new one":          {given{things: []map[string]any{thing("shop", 1)}, before: []string{"101"}, request: create}, 1, false, false},
		"other names do not count":                                    {given{things: []map[string]any{thing("shop-2", 1)}, request: create}, 1, false, false},
		"two new ones leave it unknown":                               {given{things: []map[string]any{thing("shop", 1), thing("shop", 1)}, request: create}, 0, true, false},
		"a new one that differs leaves it unknown":                    {given{things: []map[string]any{thing("shop", 7)}, request: create}, 0, true, false},
		"a new one in other letters leaves it unknown":                {given{things: []map[string]any{thing("Shop ", 1)}, request: create}, 0, true, false},
		"after ten sends in vain it stays unknown":                    {given{request: create, sends: maxSends}, 0, true, false},
		"a creation that no list shows stays unknown":                 {given{request: platform.Request{Tool: actTool, Args: thing("shop", 1)}}, 0, true, false},
		"a creation without the argument that finds it stays unknown": {given{request: platform.Request{Tool: createTool, Args: map[string]any{"size": json.Number("1")}}}, 0, true, false},
		"a change that is there is not sent again":                    {given{things: []map[string]any{thing("shop", 2)}, request: update}, 0, false, false},
		"a change that is not there is sent again":                    {given{things: []map[string]any{thing("shop", 1)}, request: update}, 1, false, false},
		"a change of what is gone says so":                            {given{request: update}, 1, false, true},
		"a deletion of what is gone is done":                          {given{request: remove}, 0, false, false},
		"a deletion of what is still there is sent again":             {given{things: []map[string]any{thing("shop", 1)}, request: remove}, 1, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			world := newWorld(1)
			for _, fields := range c.things {
				world.add(fields)
			}
			step := sentStep(world, c.before...)
			step.Sends = max(step.Sends, c.given.sends)
			j := &journal{step: step}
			_, err := writerOn(world, true).Write(t.Context(), c.request, j)
			if platform.IsUnknown(err) != c.unknown || problem.Is(err, problem.NoEncontrado) != c.missing || (err != nil) != (c.unknown || c.missing) {
				t.Errorf("error %v", err)
			}
			if world.sends != c.sends {
				t.Errorf("sent %d times, want %d", world.sends, c.sends)
			}
			if c.unknown && j.step.State != operationv1.Step_STATE_UNKNOWN {
				t.Errorf("the journal says %v", j.step.State)
			}
		})
	}
}

func TestAFoundCreationAnswersInThePlatformsShape(t *testing.T) {
	world := newWorld(1)
	item := world.add(thing("shop", 1))
	j := &journal{step: sentStep(world)}
	w := writerOn(world, true)
	request := platform.Request{Tool: createTool, Args: thing("shop", 1)}
	for _, when := range []string{"found", "from the journal"} {
		answer, err := w.Write(t.Context(), request, j)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"state": "executed", "data": item}
		if diff := cmp.Diff(want, answer.Value); diff != "" {
			t.Errorf("%s: %s", when, diff)
		}
	}
	if world.sends != 0 {
		t.Errorf("sent %d times", world.sends)
	}
}

func TestAnswersKeepEveryDigitPendingAndStatus(t *testing.T) {
	want := &platform.Answer{Status: 202, Pending: true, Value: map[string]any{"data": map[string]any{"id": json.Number("9007199254740993"), "html": "<b>&"}}}
	step, err := stepOf(&catalog.Tool{}, &operationv1.Step{Sends: 1}, want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := answerOf(step)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestARequestThatMayBeUnderWayIsNotLookedAtYet(t *testing.T) {
	world := newWorld(1)
	step := sentStep(world)
	step.SentAt = timestamppb.New(world.now.Add(-4500 * time.Millisecond))
	_, err := writerOn(world, true).Write(t.Context(), platform.Request{Tool: createTool, Args: thing("shop", 1)}, &journal{step: step})
	later, ok := errors.AsType[*Later](err)
	if !ok || later.After != settle-4500*time.Millisecond {
		t.Fatalf("error %v", err)
	}
	if p := problem.As(err); p.Code != problem.EstadoInvalido || !p.Retryable || p.RetryAfter != 11*time.Second {
		t.Errorf("callers see %+v", p)
	}
	if world.sends != 0 {
		t.Error("it was sent again")
	}
}

func TestAShortRestIsWaitedForInTheCall(t *testing.T) {
	world := newWorld(1)
	step := sentStep(world)
	step.SentAt = timestamppb.New(world.now.Add(-settle + time.Second))
	world.late = []delayed{{world.now.Add(900 * time.Millisecond), func() { world.add(thing("shop", 1)) }}}
	if _, err := writerOn(world, false).Write(t.Context(), platform.Request{Tool: createTool, Args: thing("shop", 1)}, &journal{step: step}); err != nil {
		t.Fatal(err)
	}
	if world.sends != 0 {
		t.Error("it was sent again although it landed meanwhile")
	}
}

func TestALostAnswer(t *testing.T) {
	request := platform.Request{Tool: createTool, Args: thing("shop", 1)}
	t.Run("of a call is reported at once, and a repeat looks", func(t *testing.T) {
		world := newWorld(1)
		world.fates = []fate{fateLost}
		j := &journal{}
		w := writerOn(world, false)
		if _, err := w.Write(t.Context(), request, j); !platform.IsUnknown(err) || j.step.State != operationv1.Step_STATE_SENT {
			t.Fatalf("error %v, journal %v", err, j.step)
		}
		world.pass(settle)
		if _, err := w.Write(t.Context(), request, j); err != nil || world.effects != 1 {
			t.Errorf("error %v, %d effects", err, world.effects)
		}
	})
	t.Run("of an operation is looked into", func(t *testing.T) {
		world := newWorld(1)
		world.fates = []fate{fateLost}
		j := &journal{}
		w := writerOn(world, true)
		_, err := w.Write(t.Context(), request, j)
		later, ok := errors.AsType[*Later](err)
		if !ok {
			t.Fatalf("error %v", err)
		}
		world.pass(later.After)
		if _, err := w.Write(t.Context(), request, j); err != nil || world.effects != 1 {
			t.Errorf("error %v, %d effects", err, world.effects)
		}
	})
}

func TestARefusal(t *testing.T) {
	request := platform.Request{Tool: createTool, Args: thing("shop", 1)}
	t.Run("ends the write and leaves nothing to look for", func(t *testing.T) {
		world := newWorld(1)
		world.fates = []fate{fateRefused}
		j := &journal{}
		if _, err := writerOn(world, false).Write(t.Context(), request, j); !problem.Is(err, problem.ParametroInvalido) {
			t.Fatalf("error %v", err)
		}
		if j.step.State != operationv1.Step_STATE_UNSPECIFIED {
			t.Errorf("the journal says %v", j.step.State)
		}
	})
	t.Run("of a second send is not believed when the first one landed after all", func(t *testing.T) {
		world := newWorld(1)
		j := &journal{step: sentStep(world)}
		world.fates = []fate{fateRefused} // the name is taken: by our first send, later than anybody thought
		j.after = func() {
			if len(j.log) == 1 {
				world.add(thing("shop", 1))
			}
		}
		answer, err := writerOn(world, true).Write(t.Context(), request, j)
		if err != nil || answer.Value["data"] == nil {
			t.Errorf("answer %v, error %v", answer, err)
		}
	})
}

func TestNothingIsSentThatIsNotRecorded(t *testing.T) {
	world := newWorld(1)
	away := errors.New("the journal is away")
	j := &journal{before: func() error { return away }}
	_, err := writerOn(world, false).Write(t.Context(), platform.Request{Tool: createTool, Args: thing("shop", 1)}, j)
	if !errors.Is(err, away) || !problem.Is(err, problem.EstadoInvalido) || world.sends != 0 {
		t.Errorf("error %v, sent %d times", err, world.sends)
	}
}

func TestAWriteIsRecordedWhenItLeavesNotWhenItBeginsToWait(t *testing.T) {
	world := newWorld(1)
	world.turn = 20 * time.Second
	world.fates = []fate{fateCrashLate}
	j := &journal{}
	began := world.now
	_, _, crashed := run(writerOn(world, true), platform.Request{Tool: createTool, Args: thing("shop", 1)}, j)
	if !crashed || j.step.SentAt.AsTime().Sub(began) < 20*time.Second {
		t.Errorf("sent at %v, began at %v", j.step.SentAt.AsTime(), began)
	}
	if want := []operationv1.Step_State{operationv1.Step_STATE_SENT}; !slices.Equal(j.log, want) {
		t.Errorf("journal %v", j.log)
	}
}

func TestALostDeletionDoneAgainIsNotCalledAbsentBefore(t *testing.T) {
	world := newWorld(1)
	id := world.add(thing("shop", 1))["id"]
	j := &journal{step: sentStep(world)}
	world.late = nil
	j.after = func() { world.things = nil } // the first one lands while the second leaves
	answer, err := writerOn(world, true).Write(t.Context(), platform.Request{Tool: deleteTool, Args: map[string]any{"thing_id": id}}, j)
	if err != nil {
		t.Fatal(err)
	}
	if _, told := answer.Value["already_absent"]; told {
		t.Errorf("answer %v", answer.Value)
	}
}

func TestAWriteWithoutAJournalIsJustSent(t *testing.T) {
	world := newWorld(1)
	if _, err := writerOn(world, false).Write(t.Context(), platform.Request{Tool: createTool, Args: thing("shop", 1)}, nil); err != nil || world.sends != 1 {
		t.Errorf("error %v, sent %d times", err, world.sends)
	}
}

func TestWantedComparesWhatThePlatformShows(t *testing.T) {
	number := func(n int) json.Number { return json.Number(strconv.Itoa(n)) }
	for name, c := range map[string]struct {
		want, got map[string]any
		same      bool
	}{
		"numbers by value":                {map[string]any{"n": json.Number("1.0")}, map[string]any{"n": number(1)}, true},
		"numbers beyond 2^53 exactly":     {map[string]any{"n": json.Number("9007199254740993")}, map[string]any{"n": json.Number("9007199254740992")}, false},
		"a monstrous exponent":            {map[string]any{"n": json.Number("1e999999999")}, map[string]any{"n": number(1)}, false},
		"fields left out say nothing":     {map[string]any{"a": "x", "b": "y"}, map[string]any{"a": "x"}, true},
		"defaults of the platform too":    {map[string]any{"a": "x"}, map[string]any{"a": "x", "b": "y"}, true},
		"inner objects likewise":          {map[string]any{"m": map[string]any{"on": true}}, map[string]any{"m": map[string]any{"on": true, "ttl": number(5)}}, true},
		"inner objects that differ":       {map[string]any{"m": map[string]any{"on": true}}, map[string]any{"m": map[string]any{"on": false}}, false},
		"arrays in their order":           {map[string]any{"l": []any{"a", "b"}}, map[string]any{"l": []any{"b", "a"}}, false},
		"arrays of other length":          {map[string]any{"l": []any{"a"}}, map[string]any{"l": []any{"a", "b"}}, false},
		"an object is no text":            {map[string]any{"m": map[string]any{}}, map[string]any{"m": "x"}, false},
		"a text is no object":             {map[string]any{"m": "x"}, map[string]any{"m": map[string]any{}}, false},
		"secrets come back masked":        {map[string]any{"key": "s3cret"}, map[string]any{"key": "****"}, true},
		"secrets deep in come masked too": {map[string]any{"hooks": []any{map[string]any{"token": "t"}}}, map[string]any{"hooks": []any{map[string]any{"token": "*"}}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := wanted{fields: c.want, hidden: []string{"data.key", "hooks[].token"}}
			if got := w.shownBy(c.got); got != c.same {
				t.Errorf("got %t", got)
			}
		})
	}
}
