package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// sink is a writer for several goroutines.
type sink struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// world is a NATS server that can go away, and one process's audit.
type world struct {
	t       *testing.T
	dir     string
	natsDir string
	server  *embedded.Server
	bus     *bus.Bus
	out     *sink
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), natsDir: t.TempDir(), out: &sink{}}
	w.startNATS(-1)
	t.Cleanup(func() { w.server.Stop() })
	b, err := bus.Connect(bus.Config{URL: w.server.URL()}, "test", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := b.Ensure(ctx); err != nil {
		t.Fatal(err)
	}
	w.bus = b
	return w
}

func (w *world) startNATS(port int) {
	w.t.Helper()
	server, err := embedded.Start(embedded.Options{Dir: w.natsDir, Port: port, Lax: true})
	if err != nil {
		w.t.Fatal(err)
	}
	w.server = server
}

// stopNATS stops the server and gives a function that starts it again.
func (w *world) stopNATS() (again func()) {
	w.t.Helper()
	port := w.server.Port()
	w.server.Stop()
	w.eventually("the connection is seen to be gone", func() bool { return !w.bus.Connected() })
	return func() { w.startNATS(port) }
}

func (w *world) open(change ...func(*Options)) *Log {
	w.t.Helper()
	o := Options{Bus: w.bus, Dir: w.dir, Writer: "build-0", Log: slog.New(slog.NewTextHandler(w.out, nil))}
	for _, c := range change {
		c(&o)
	}
	l, err := Open(o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.close(l) })
	return l
}

// close publishes everything; closing twice does no harm.
func (w *world) close(l *Log) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := l.Close(ctx); err != nil {
		w.t.Error(err)
	}
}

func (w *world) eventually(what string, ok func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	w.t.Fatalf("not within 20 s: %s", what)
}

func (w *world) records(f Filter) []*auditv1.Record {
	w.t.Helper()
	var out []*auditv1.Record
	for r, err := range Query(w.t.Context(), w.bus, f) {
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// verify checks each writer's chain on the stream's own bytes, and its head, once
// the writer has closed. It gives the number of messages.
func (w *world) verify() int {
	w.t.Helper()
	stream, err := w.bus.JS.Stream(w.t.Context(), bus.AuditStream)
	if err != nil {
		w.t.Fatal(err)
	}
	info, err := stream.Info(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	type link struct {
		record *auditv1.Record
		hash   [32]byte
	}
	chains := map[string][]link{}
	if info.State.Msgs > 0 {
		consumer, err := stream.OrderedConsumer(w.t.Context(), jetstream.OrderedConsumerConfig{})
		if err != nil {
			w.t.Fatal(err)
		}
		batch, err := consumer.Fetch(int(info.State.Msgs), jetstream.FetchMaxWait(20*time.Second))
		if err != nil {
			w.t.Fatal(err)
		}
		for msg := range batch.Messages() {
			r := &auditv1.Record{}
			if err := proto.Unmarshal(msg.Data(), r); err != nil {
				w.t.Fatal(err)
			}
			chains[r.GetWriter()] = append(chains[r.GetWriter()], link{r, sha256.Sum256(msg.Data())})
		}
	}
	for writer, links := range chains {
		slices.SortFunc(links, func(a, b link) int { return int(a.record.GetSequence()) - int(b.record.GetSequence()) })
		for i, l := range links {
			if l.record.GetSequence() != uint64(i+1) {
				w.t.Fatalf("%s: record %d has sequence %d", writer, i+1, l.record.GetSequence())
			}
			if i > 0 && !bytes.Equal(l.record.GetPrevious(), links[i-1].hash[:]) {
				w.t.Fatalf("%s: record %d does not fit the one before", writer, i+1)
			}
		}
		last := links[len(links)-1]
		if head := w.head(writer); head.GetSequence() != last.record.GetSequence() || !bytes.Equal(head.GetHash(), last.hash[:]) {
			w.t.Errorf("%s: the head stands at %d, the last record at %d", writer, head.GetSequence(), last.record.GetSequence())
		}
	}
	return int(info.State.Msgs)
}

func (w *world) head(writer string) *auditv1.Head {
	w.t.Helper()
	heads, err := w.bus.Records(bus.AuditHeads)
	if err != nil {
		w.t.Fatal(err)
	}
	stored, err := heads.Read(w.t.Context(), HeadKey(writer))
	if err != nil {
		w.t.Fatal(err)
	}
	head := &auditv1.Head{}
	if err := proto.Unmarshal(stored.Value, head); err != nil {
		w.t.Fatal(err)
	}
	return head
}

func aCall(id string, effect catalog.Effect, args map[string]any) *call.Call {
	return &call.Call{
		ID: id, At: time.Now(), Area: "build", Profile: "applications", Address: "192.0.2.7",
		Tool:    &catalog.Tool{Name: fmt.Sprint(effect, "_thing"), Effect: effect, Secrets: []string{"tls.hidden", "list[].hidden"}},
		Company: identity.Company{ID: 42, Authorization: "Token CANARY"},
		Principal: &identity.Principal{
			Link: identity.Link{ID: "pt_0123456789abcdef"}, Person: identity.Person{ID: 7},
			Client: identity.Client{ID: "client", Name: "personal token"},
		},
		Args: args,
	}
}

func fine(context.Context, *call.Call) (*call.Answer, error) {
	return &call.Answer{Value: map[string]any{"ok": true}}, nil
}
