package auth

import (
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/seal"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
)

// submitted seals an operation of the caller as a host does.
func submitted(t *testing.T, client *identity.AuthClient, who *identity.Principal, payload string) *operationv1.Operation {
	t.Helper()
	op := &operationv1.Operation{Id: "01OP", LinkId: who.Link.ID, Area: "build", CompanyId: who.Companies[0].ID}
	var err error
	op.Sealed, err = client.Seal(t.Context(), op.Id, op.LinkId, who.Companies[0].Authorization, []byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	return op
}

func TestReleaseGivesBackTheCallerAndThePayload(t *testing.T) {
	w := newWorld(t)
	client := w.client(w.start(nil))
	who, err := ask(t, client, goodToken)
	if err != nil {
		t.Fatal(err)
	}
	payload := strings.Repeat("s3cret ", 100_000)
	op := submitted(t, client, who, payload)
	got, released, err := client.Release(t.Context(), op)
	if err != nil {
		t.Fatal(err)
	}
	if string(released) != payload {
		t.Error("the payload came back changed")
	}
	if got.Link.ID != who.Link.ID || len(got.Companies) != 1 || got.Companies[0] != who.Companies[0] || got.Person != who.Person {
		t.Errorf("released for %+v, want the caller %+v", got, who)
	}
	for _, secret := range []string{string(goodToken), "s3cret"} {
		if strings.Contains(string(op.Sealed), secret) {
			t.Errorf("the sealed data holds %q in clear", secret)
		}
	}
}

func TestReleaseWithholdsWhatMayNoLongerBeDone(t *testing.T) {
	w := newWorld(t)
	client := w.client(w.start(func(c *Config) { c.Tokens.PositiveLife = 0 }))
	tests := []struct {
		name   string
		change func(op *operationv1.Operation)
		want   identity.RefusalKind // "": it cannot be opened
	}{
		{"another operation's id", func(op *operationv1.Operation) { op.Id = "01OQ" }, ""},
		{"another link's id", func(op *operationv1.Operation) { op.LinkId = "pt_0123456789abcdef" }, ""},
		{"one bit of the sealed data is another", func(op *operationv1.Operation) { op.Sealed[len(op.Sealed)/2] ^= 1 }, ""},
		{"no sealed data", func(op *operationv1.Operation) { op.Sealed = nil }, ""},
		{"another company", func(op *operationv1.Operation) { op.CompanyId = 1002 }, identity.RefusedRevoked},
		{"an area that there is not", func(op *operationv1.Operation) { op.Area = "billing" }, identity.RefusedArea},
		{"another link's token, honestly sealed", func(op *operationv1.Operation) {
			op.Sealed = sealed(t, client, op, "Token "+readerToken)
		}, identity.RefusedRevoked},
		{"an access token of ours instead of the platform's", func(op *operationv1.Operation) {
			op.Sealed = sealed(t, client, op, "Bearer "+goodToken)
		}, ""},
		{"the link is paused", func(op *operationv1.Operation) {
			if err := w.links().SetState(t.Context(), op.LinkId, link.Paused); err != nil {
				t.Fatal(err)
			}
			time.Sleep(link.MaxLate)
		}, identity.RefusedRevoked},
		{"the platform has revoked the token", func(*operationv1.Operation) { w.platform.revoke(goodToken) }, identity.RefusedToken},
	}
	who, err := ask(t, client, goodToken)
	if err != nil {
		t.Fatal(err)
	}
	original := submitted(t, client, who, "payload")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			op := proto.CloneOf(original)
			test.change(op)
			_, payload, err := client.Release(t.Context(), op)
			if payload != nil {
				t.Error("a payload was given away")
			}
			if test.want == "" {
				if !errors.Is(err, identity.ErrCannotOpen) {
					t.Errorf("the error is %v, want ErrCannotOpen", err)
				}
			} else if !isRefused(err, test.want) {
				t.Errorf("the error is %v, want refused: %s", err, test.want)
			}
		})
	}
}

func sealed(t *testing.T, client *identity.AuthClient, op *operationv1.Operation, authorization identity.Secret) []byte {
	t.Helper()
	data, err := client.Seal(t.Context(), op.Id, op.LinkId, authorization, []byte("payload"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestReleaseIsNotRefusedWhileThePlatformCannotBeAsked(t *testing.T) {
	w := newWorld(t)
	client := w.client(w.start(func(c *Config) { c.Tokens.PositiveLife = 0 }))
	who, err := ask(t, client, goodToken)
	if err != nil {
		t.Fatal(err)
	}
	op := submitted(t, client, who, "payload")
	w.platform.set(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	_, _, err = client.Release(t.Context(), op)
	if _, refused := errors.AsType[*identity.Refused](err); err == nil || refused || errors.Is(err, identity.ErrCannotOpen) {
		t.Errorf("the error is %v, want that nobody could be asked", err)
	}
}

func TestWhatWasSealedOpensAfterNewKeysAndOnEveryReplica(t *testing.T) {
	w := newWorld(t)
	first, second := w.start(nil), w.start(nil)
	before, after := w.client(first), w.client(second)
	who, err := ask(t, before, goodToken)
	if err != nil {
		t.Fatal(err)
	}
	old := submitted(t, before, who, "old")

	// A third replica makes new keys; the two running ones do not know yet.
	keys := w.keys()
	if err := keys.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	sealer, err := seal.NewSealer(keys.Public())
	if err != nil {
		t.Fatal(err)
	}
	fresh := proto.CloneOf(old)
	plain, err := keys.Open(t.Context(), old.Sealed, seal.ForOperation(old.Id, old.LinkId))
	if err != nil {
		t.Fatal(err)
	}
	if fresh.Sealed, err = sealer.Seal(plain, seal.ForOperation(old.Id, old.LinkId)); err != nil {
		t.Fatal(err)
	}
	for name, op := range map[string]*operationv1.Operation{"old key": old, "new key": fresh} {
		for _, client := range []*identity.AuthClient{before, after} {
			if _, payload, err := client.Release(t.Context(), op); err != nil || string(payload) != "old" {
				t.Errorf("%s: released %q, %v", name, payload, err)
			}
		}
	}
}

// keys opens the keysets as a further replica does.
func (w *world) keys() *seal.Opener {
	w.t.Helper()
	b, err := bus.Connect(bus.Config{URL: w.nats.URL()}, "test", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(b.Close)
	kv, err := b.KV(w.t.Context(), bus.Keys)
	if err != nil {
		w.t.Fatal(err)
	}
	master, err := seal.ParseMaster(base64.StdEncoding.EncodeToString(make([]byte, 32)))
	if err != nil {
		w.t.Fatal(err)
	}
	keys, err := seal.NewOpener(w.t.Context(), kv, master, time.Now)
	if err != nil {
		w.t.Fatal(err)
	}
	return keys
}
