package secret_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/once"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/pkg/secret"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
	secretv1 "github.com/comporta-mcp/comporta/proto/secret/v1"
)

// journal keeps steps in memory and may cut the power before one is recorded.
type journal struct {
	steps []*operationv1.Step
	dieAt int // the step of this number, from 1, is never recorded
}

var errDead = errors.New("the power was cut")

func (j *journal) Step() *operationv1.Step {
	if len(j.steps) == 0 {
		return nil
	}
	return proto.CloneOf(j.steps[len(j.steps)-1])
}

func (j *journal) Record(_ context.Context, step *operationv1.Step) error {
	if len(j.steps)+1 == j.dieAt {
		return errDead
	}
	j.steps = append(j.steps, proto.CloneOf(step))
	return nil
}

// taken is what the person gets.
func (w *world) taken() (string, error) {
	w.t.Helper()
	var plain []byte
	err := w.store.Take(w.t.Context(), ana, id, func(r *secretv1.Secret) (err error) {
		plain, err = w.keys.Open(w.t.Context(), r.GetSealed(), secret.Binding(r.GetId(), r.GetPersonId(), r.GetLinkId(), r.GetTool()))
		return err
	})
	return string(plain), err
}

func standInOf(t *testing.T, got *platform.Answer) map[string]any {
	t.Helper()
	data, ok := got.Value["data"].(map[string]any)
	if !ok || !answer.IsStandIn(data["secret_key"]) {
		t.Fatalf("no stand-in in %v", got.Value)
	}
	return data["secret_key"].(map[string]any)
}

func TestTheAgentGetsAnAddressAndThePersonTheSecret(t *testing.T) {
	w := newWorld(t)
	keeper, j := w.keeper(), &journal{}
	writer := &once.Writer{Platform: keeper, Tools: tools, Found: keeper.Found}
	got, err := writer.Write(t.Context(), request(), j)
	if err != nil {
		t.Fatal(err)
	}
	if at := standInOf(t, got)["ver_en"]; at != pages+"/secrets/"+id {
		t.Errorf("the address is %v", at)
	}
	for _, step := range j.steps {
		if bytes.Contains(step.GetAnswer(), []byte(hush)) {
			t.Errorf("the journal holds the secret: %s", step.GetAnswer())
		}
	}
	again, err := writer.Write(t.Context(), request(), j)
	if err != nil || standInOf(t, again)["ver_en"] != pages+"/secrets/"+id {
		t.Errorf("a repeat answers %v, %v", again, err)
	}
	if plain, err := w.taken(); err != nil || plain != `{"data.secret_key":"`+hush+`1"}` {
		t.Errorf("the person gets %s, %v", plain, err)
	}
	if plain, err := w.taken(); !errors.Is(err, secret.ErrTaken) || plain != "" {
		t.Errorf("the second look gets %q, %v", plain, err)
	}
	if w.posts != 1 {
		t.Errorf("%d creates", w.posts)
	}
}

func TestKilledAfterKeepingAndBeforeRecordingTheAddressIsToldByTheRepeat(t *testing.T) {
	w := newWorld(t)
	keeper, j := w.keeper(), &journal{dieAt: 2}
	writer := &once.Writer{Platform: keeper, Tools: tools, Settle: time.Millisecond, Found: keeper.Found}
	if _, err := writer.Write(t.Context(), request(), j); err != nil {
		t.Fatal(err)
	}
	if j.Step().GetState() != operationv1.Step_STATE_SENT {
		t.Fatalf("the crash left %v", j.Step())
	}
	j.dieAt = 0
	got, err := writer.Write(t.Context(), request(), j)
	if err != nil {
		t.Fatal(err)
	}
	if standIn := standInOf(t, got); standIn["ver_en"] != pages+"/secrets/"+id {
		t.Errorf("the repeat says %v", standIn)
	}
	if plain, err := w.taken(); err != nil || !strings.Contains(plain, hush) {
		t.Errorf("the person gets %s, %v", plain, err)
	}
}

func TestKilledBeforeKeepingTheAgentLearnsThatTheSecretIsLost(t *testing.T) {
	w := newWorld(t)
	bare, j := w.keeper().Client, &journal{dieAt: 2} // a keeper that dies is one that never kept
	first := &once.Writer{Platform: bare, Tools: tools}
	if _, err := first.Write(t.Context(), request(), j); err != nil {
		t.Fatal(err)
	}
	j.dieAt = 0
	keeper := w.keeper()
	writer := &once.Writer{Platform: keeper, Tools: tools, Settle: time.Millisecond, Found: keeper.Found}
	got, err := writer.Write(t.Context(), request(), j)
	if err != nil {
		t.Fatal(err)
	}
	if standIn := standInOf(t, got); standIn["secreto"] != "perdido" {
		t.Errorf("the repeat says %v", standIn)
	}
	if w.posts != 1 {
		t.Errorf("%d creates", w.posts)
	}
}

func TestNothingIsSentWhileItCouldNotBeSealed(t *testing.T) {
	w := newWorld(t)
	w.keys.away = errors.New("auth is away")
	_, err := w.keeper().Do(t.Context(), request())
	if !problem.Is(err, problem.EstadoInvalido) || !problem.As(err).Retryable {
		t.Errorf("answered %v", err)
	}
	if w.posts != 0 {
		t.Errorf("it was sent %d times", w.posts)
	}
}

func TestASecretThatCannotBeStoredIsSaidToBeLostAndNotTold(t *testing.T) {
	w := newWorld(t)
	r := request()
	r.Holder.ID = "no ulid"
	got, err := w.keeper().Do(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if standIn := standInOf(t, got); standIn["secreto"] != "perdido" {
		t.Errorf("it says %v", standIn)
	}
}

func TestTheNewestSecretOfACallCounts(t *testing.T) {
	w := newWorld(t)
	for range 2 { // the first one's resource was gone when the call was repeated after a crash
		if _, err := w.keeper().Do(t.Context(), request()); err != nil {
			t.Fatal(err)
		}
	}
	if plain, err := w.taken(); err != nil || !strings.Contains(plain, hush+"2") {
		t.Errorf("the person gets %s, %v", plain, err)
	}
}

func TestExactlyOneOfManyReadersGetsIt(t *testing.T) {
	w := newWorld(t)
	if _, err := w.keeper().Do(t.Context(), request()); err != nil {
		t.Fatal(err)
	}
	var got, late atomic.Int32
	var readers sync.WaitGroup
	for range 20 {
		readers.Go(func() {
			switch _, err := w.taken(); {
			case err == nil:
				got.Add(1)
			case errors.Is(err, secret.ErrTaken):
				late.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	readers.Wait()
	if got.Load() != 1 || late.Load() != 19 {
		t.Errorf("%d got it, %d were late", got.Load(), late.Load())
	}
}

func TestWhoseAndForHowLong(t *testing.T) {
	for name, c := range map[string]struct {
		person int64
		id     string
		later  time.Duration
		want   error
	}{
		"another person":                    {8, id, 0, secret.ErrNone},
		"another id":                        {ana, "01JDXT7M1S0000000000000009", 0, secret.ErrNone},
		"an id that would match many":       {ana, "*", 0, secret.ErrNone},
		"nobody":                            {0, id, 0, secret.ErrNone},
		"the same id in other letters":      {ana, strings.ToLower(id), 0, nil},
		"right before the end":              {ana, id, bus.SecretRetention - time.Second, nil},
		"at the end":                        {ana, id, bus.SecretRetention, secret.ErrExpired},
		"when the audit cannot be had: not": {ana, id, 0, errDead},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if _, err := w.keeper().Do(t.Context(), request()); err != nil {
				t.Fatal(err)
			}
			w.now = w.now.Add(c.later)
			ready := func(*secretv1.Secret) error {
				if c.want == errDead {
					return errDead
				}
				return nil
			}
			if err := w.store.Take(t.Context(), c.person, c.id, ready); !errors.Is(err, c.want) {
				t.Errorf("answered %v, want %v", err, c.want)
			}
			if c.want == nil {
				return
			}
			w.now = w.now.Add(-c.later)
			if _, err := w.taken(); err != nil {
				t.Errorf("its person cannot have it any more: %v", err)
			}
		})
	}
}

func TestAListIsOfOnePersonAndHoldsNoSecret(t *testing.T) {
	w := newWorld(t)
	if _, err := w.keeper().Do(t.Context(), request()); err != nil {
		t.Fatal(err)
	}
	own, err := w.store.List(t.Context(), ana)
	if err != nil || len(own) != 1 || own[0].GetTool() != create.Name || own[0].GetNames()[0] != "data.secret_key" {
		t.Errorf("%v, %v", own, err)
	}
	text, _ := json.Marshal(own)
	if strings.Contains(string(text), hush) {
		t.Errorf("it holds the secret: %s", text)
	}
	if others, err := w.store.List(t.Context(), 8); err != nil || len(others) != 0 {
		t.Errorf("another person sees %v, %v", others, err)
	}
}

func TestTheDiskHoldsNoSecret(t *testing.T) {
	w := newWorld(t)
	if _, err := w.keeper().Do(t.Context(), request()); err != nil {
		t.Fatal(err)
	}
	w.nats.Stop()
	files := 0
	err := filepath.WalkDir(w.nats.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(hush)) {
			t.Errorf("%s holds the secret", path)
		}
		if bytes.Contains(data, []byte(create.Name)) {
			files++
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("the record was not seen in any file (%v), so this shows nothing", err)
	}
}
