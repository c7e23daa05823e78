package once

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// The tools of the simulated platform.
var (
	itemPath = []catalog.Param{{Arg: "thing_id", Name: "thing_id", In: catalog.Path, Required: true}}
	listTool = &catalog.Tool{
		Name: "list_things", Effect: catalog.Read,
		List: &catalog.List{Key: "results", TotalKey: "count", PageArg: "page", SizeArg: "page_size"},
		Binding: &catalog.Binding{Method: "GET", Path: "/things", Params: []catalog.Param{
			{Arg: "name", Name: "name", In: catalog.Query},
		}},
	}
	retrieveTool = &catalog.Tool{Name: "retrieve_thing", Effect: catalog.Read, Binding: &catalog.Binding{Method: "GET", Path: "/things/{thing_id}", Params: itemPath}}
	createTool   = &catalog.Tool{
		Name: "create_thing", Effect: catalog.Write, Creates: true, Find: &catalog.Find{List: "list_things", By: []catalog.Match{{Arg: "name", Field: "name"}}},
		Binding: &catalog.Binding{Method: "POST", Path: "/things", Body: &catalog.Body{MediaType: "application/json", Fields: []string{"name", "size", "secret"}}},
		Secrets: []string{"secret"},
	}
	actTool = &catalog.Tool{ // a creation that no list shows
		Name: "act", Effect: catalog.Write, Creates: true,
		Binding: &catalog.Binding{Method: "POST", Path: "/things", Body: createTool.Binding.Body},
	}
	updateTool = &catalog.Tool{
		Name: "update_thing", Effect: catalog.Write, Idempotent: true, Retrieve: "retrieve_thing",
		Binding: &catalog.Binding{Method: "PATCH", Path: "/things/{thing_id}", Params: itemPath, Body: createTool.Binding.Body},
	}
	deleteTool = &catalog.Tool{
		Name: "delete_thing", Effect: catalog.Destructive, Idempotent: true, Retrieve: "retrieve_thing",
		Binding: &catalog.Binding{Method: "DELETE", Path: "/things/{thing_id}", Params: itemPath},
	}
)

func tools(name string) (*catalog.Tool, bool) {
	for _, tool := range []*catalog.Tool{listTool, retrieveTool, createTool, actTool, updateTool, deleteTool} {
		if tool.Name == name {
			return tool, true
		}
	}
	return nil, false
}

// fate is what happens to one write that reaches the simulated platform.
type fate int

const (
	fateAnswered  fate = iota
	fateRefused        // 4xx, no effect
	fateBusy           // 503 with Retry-After, no effect
	fateNoEffect       // never arrived, the sender cannot know
	fateLost           // took effect, the answer got lost
	fateLate           // takes effect later, the answer got lost
	fateCrash          // the sender dies before anything left
	fateCrashDone      // the sender dies after the effect
	fateCrashLate      // the sender dies, the effect follows
	fates
)

// errCrash is thrown where the process dies.
var errCrash = errors.New("crash")

const settle = 15 * time.Second

// world is a platform in memory with its own clock. It obeys the one assumption
// of the package: what is sent takes effect within settle, or never.
type world struct {
	rng     *rand.Rand
	now     time.Time
	things  []map[string]any
	late    []delayed
	nextID  int
	effects int // of the write under test
	sends   int
	fates   []fate // for the sends to come; then answered
	turn    time.Duration
}

type delayed struct {
	at time.Time
	do func()
}

func newWorld(seed uint64) *world {
	return &world{rng: rand.New(rand.NewPCG(seed, 17)), now: time.Unix(1_800_000_000, 0), nextID: 100}
}

func (w *world) clock() time.Time { return w.now }

// pass lets time go by; late effects happen on the way.
func (w *world) pass(d time.Duration) {
	w.now = w.now.Add(d)
	var still []delayed
	for _, l := range w.late {
		if l.at.After(w.now) {
			still = append(still, l)
			continue
		}
		l.do()
	}
	w.late = still
}

func (w *world) sleep(_ context.Context, d time.Duration) error {
	w.pass(d)
	return nil
}

func (w *world) add(fields map[string]any) map[string]any {
	w.nextID++
	thing := map[string]any{"id": json.Number(strconv.Itoa(w.nextID)), "active": true}
	for name, value := range fields {
		if name != "secret" {
			thing[name] = value
		}
	}
	w.things = append(w.things, thing)
	return thing
}

func (w *world) find(id any) int {
	return slices.IndexFunc(w.things, func(t map[string]any) bool { return fmt.Sprint(t["id"]) == fmt.Sprint(id) })
}

func (w *world) Each(_ context.Context, r platform.Request, yield func(map[string]any) (bool, error)) error {
	w.pass(time.Duration(w.rng.IntN(300)) * time.Millisecond)
	for _, thing := range slices.Clone(w.things) {
		if more, err := yield(thing); err != nil || !more {
			return err
		}
	}
	return nil
}

func (w *world) Do(ctx context.Context, r platform.Request) (*platform.Answer, error) {
	if r.Tool == retrieveTool {
		i := w.find(r.Args["thing_id"])
		if i < 0 {
			return nil, problem.New(problem.NoEncontrado, "gone")
		}
		return &platform.Answer{Status: 200, Value: map[string]any{"data": w.things[i]}}, nil
	}
	w.pass(w.turn)
	if r.Leaving != nil {
		if err := r.Leaving(ctx); err != nil {
			return nil, problem.New(problem.EstadoInvalido, "called back").Wrap(err)
		}
	}
	fate := fateAnswered
	if len(w.fates) > 0 {
		fate, w.fates = w.fates[0], w.fates[1:]
	}
	return w.carryOut(r, fate)
}

func (w *world) carryOut(r platform.Request, f fate) (*platform.Answer, error) {
	if f == fateCrash {
		panic(errCrash)
	}
	w.sends++
	within := time.Duration(w.rng.Int64N(int64(settle)))
	switch f {
	case fateRefused:
		return nil, problem.New(problem.ParametroInvalido, "refused").From(400)
	case fateBusy:
		return nil, problem.New(problem.EstadoInvalido, "busy").From(503).After(time.Second)
	case fateLate, fateCrashLate:
		w.late = append(w.late, delayed{w.now.Add(within), func() { _, _ = w.effect(r) }})
		if f == fateCrashLate {
			panic(errCrash)
		}
		w.pass(time.Duration(w.rng.Int64N(int64(settle))))
		return nil, platform.Unknown(r.Tool)
	case fateNoEffect:
		w.pass(within)
		return nil, platform.Unknown(r.Tool)
	}
	answer, err := w.effect(r)
	switch f {
	case fateCrashDone:
		panic(errCrash)
	case fateLost:
		return nil, platform.Unknown(r.Tool)
	}
	return answer, err
}

// effect is what the platform does with a write that arrived.
func (w *world) effect(r platform.Request) (*platform.Answer, error) {
	switch r.Tool.Binding.Method {
	case "POST":
		w.effects++
		return executed(w.add(wantedOf(r).fields)), nil
	case "PATCH":
		i := w.find(r.Args["thing_id"])
		if i < 0 {
			return nil, problem.New(problem.NoEncontrado, "gone").From(404)
		}
		for name, value := range wantedOf(r).fields {
			w.things[i][name] = value
		}
		w.effects++
		return executed(w.things[i]), nil
	}
	i := w.find(r.Args["thing_id"])
	if i < 0 {
		return &platform.Answer{Status: 404, Value: map[string]any{"state": "executed", "already_absent": true}}, nil
	}
	w.things = slices.Delete(w.things, i, i+1)
	w.effects++
	return executed(nil), nil
}

// journal is durable memory that may die around a record, or refuse one.
type journal struct {
	step   *operationv1.Step
	before func() error // asked before each record
	after  func()       // called when it is durable
	log    []operationv1.Step_State
}

func (j *journal) Step() *operationv1.Step { return j.step }

func (j *journal) Record(_ context.Context, step *operationv1.Step) error {
	if j.before != nil {
		if err := j.before(); err != nil {
			return err
		}
	}
	j.step = proto.CloneOf(step)
	j.log = append(j.log, step.State)
	if j.after != nil {
		j.after()
	}
	return nil
}

// run is one life of a process: it ends with an answer, an error, or a crash.
func run(w *Writer, r platform.Request, j Journal) (answer *platform.Answer, err error, crashed bool) {
	defer func() {
		if thrown := recover(); thrown != nil {
			if thrown != errCrash {
				panic(thrown)
			}
			crashed = true
		}
	}()
	answer, err = w.Write(context.Background(), r, j)
	return answer, err, false
}
