package operation_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

func TestOnlyWhatIsTooLargeForARecordLeavesIt(t *testing.T) {
	content := strings.Repeat("x", 3<<20)
	for name, c := range map[string]struct {
		public, secret, taken map[string]any
	}{
		"small arguments stay":            {map[string]any{"key": "a", "body": "b"}, map[string]any{}, nil},
		"a middling one stays on its own": {map[string]any{"body": content[:500<<10]}, map[string]any{}, nil},
		"a large one goes":                {map[string]any{"key": "a", "body": content}, map[string]any{}, map[string]any{"body": content}},
		"a large secret goes as well":     {map[string]any{"key": "a"}, map[string]any{"body": content}, map[string]any{"body": content}},
	} {
		t.Run(name, func(t *testing.T) {
			taken := operation.TakeLarge(c.public, c.secret)
			if diff := cmp.Diff(c.taken, taken); diff != "" {
				t.Errorf("%.200s", diff)
			}
			for name := range taken {
				if c.public[name] != nil || c.secret[name] != nil {
					t.Errorf("%s is still there", name)
				}
			}
		})
	}
}

func objects(t *testing.T, b *bus.Bus) int {
	t.Helper()
	store, err := b.JS.ObjectStore(t.Context(), bus.Payloads)
	if err != nil {
		t.Fatal(err)
	}
	list, err := store.List(t.Context())
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		t.Fatal(err)
	}
	return len(list)
}

func TestAPayloadIsClosedAndGoesWithTheEndOfItsOperation(t *testing.T) {
	store, b := newStore(t)
	op := newOperation(link)
	args := map[string]any{"body": strings.Repeat("CANARY content ", 300_000)}
	closed, key, err := operation.Close(args, op.GetId())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(closed, []byte("CANARY")) {
		t.Error("the payload can be read without its key")
	}
	if err := store.Keep(t.Context(), op, closed); err != nil {
		t.Fatal(err)
	}
	if err := store.Submit(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	plain, err := store.Payload(t.Context(), op, key)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(plain, &got); err != nil || got["body"] != args["body"] {
		t.Errorf("%d bytes came back, %v", len(plain), err)
	}
	other := newOperation(link)
	other.Payload = op.GetPayload()
	if _, err := store.Payload(t.Context(), other, key); err == nil {
		t.Error("another operation opened it")
	}
	recordKey, _ := operation.Key(link, op.GetId())
	rec, err := store.Load(t.Context(), recordKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Save(t.Context(), rec, func(op *operationv1.Operation) {
		_ = operation.Succeed(op, map[string]any{})
	}); err != nil {
		t.Fatal(err)
	}
	if n := objects(t, b); n != 0 || rec.Op.GetPayload() != "" {
		t.Errorf("%d payloads stayed, the record names %q", n, rec.Op.GetPayload())
	}
	if _, err := store.Payload(t.Context(), op, key); !errors.Is(err, record.ErrAbsent) {
		t.Errorf("error %v", err)
	}
}

func TestASecondSubmitLeavesOnePayload(t *testing.T) {
	store, b := newStore(t)
	first := newOperation(link)
	second := newOperation(link)
	second.Id = first.Id
	for _, op := range []*operationv1.Operation{first, second} {
		closed, _, err := operation.Close(map[string]any{"body": "x"}, op.GetId())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(store.Keep(t.Context(), op, closed), store.Submit(t.Context(), op)); err != nil {
			t.Fatal(err)
		}
	}
	if n := objects(t, b); n != 1 || first.GetPayload() != second.GetPayload() {
		t.Errorf("%d payloads; %q and %q", n, first.GetPayload(), second.GetPayload())
	}
}

// TestAPayloadIsTheOneThatWasSubmitted: who made it has its key, and could put
// another one in its place after a person approved the call.
func TestAPayloadIsTheOneThatWasSubmitted(t *testing.T) {
	store, b := newStore(t)
	op := newOperation(link)
	closed, key, err := operation.Close(map[string]any{"body": "agreed"}, op.GetId())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Keep(t.Context(), op, closed); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Payload(t.Context(), op, key); err != nil || !strings.Contains(string(got), "agreed") {
		t.Fatalf("%s, %v", got, err)
	}
	objects, err := b.JS.ObjectStore(t.Context(), bus.Payloads)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"another payload under its key": "stolen", "the same arguments closed again": "agreed"} {
		other, err := operation.Reclose(map[string]any{"body": content}, op.GetId(), key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := objects.PutBytes(t.Context(), op.GetPayload(), other); err != nil {
			t.Fatal(err)
		}
		if got, err := store.Payload(t.Context(), op, key); err == nil {
			t.Errorf("%s was read: %s", name, got)
		}
	}
}
