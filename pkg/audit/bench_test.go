package audit

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// BenchmarkStage compares with the floor in the same run: one publish and its
// acknowledgement, which is the least that a durable record costs.
func BenchmarkStage(b *testing.B) {
	server, err := embedded.Start(embedded.Options{Dir: b.TempDir(), Port: -1, Lax: true})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Stop()
	conn, err := bus.Connect(bus.Config{URL: server.URL()}, "bench", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Ensure(b.Context()); err != nil {
		b.Fatal(err)
	}
	var ids atomic.Int64
	b.Run("floor/publish", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := conn.JS.Publish(context.Background(), bus.AuditSubject+".floor", make([]byte, 300)); err != nil {
					b.Error(err)
				}
			}
		})
	})
	for _, effect := range []catalog.Effect{catalog.Read, catalog.Write} {
		b.Run("stage/"+string(effect), func(b *testing.B) {
			l, err := Open(Options{Bus: conn, Dir: b.TempDir(), Writer: "bench"})
			if err != nil {
				b.Fatal(err)
			}
			handler := l.Stage()(fine)
			args := map[string]any{"application_id": 123, "name": "shop-frontend", "origin": "www.example.com"}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := handler(context.Background(), aCall(fmt.Sprint(ids.Add(1)), effect, args)); err != nil {
						b.Error(err)
					}
				}
			})
			b.StopTimer()
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			if err := l.Close(ctx); err != nil {
				b.Error(err)
			}
		})
	}
}

// BenchmarkChain is what the chain adds to one record: its hash when it is
// written, and again when it has arrived.
func BenchmarkChain(b *testing.B) {
	r := &auditv1.Record{
		Version: 1, CallId: "01M8Q8B1XDBH3ZNSPJY450SJ5T", Area: "build", Tool: "update_application", LinkId: "pt_0123456789abcdef",
		Arguments: []byte(`{"application_id":123,"name":"shop-frontend","origin":"www.example.com"}`), Outcome: "ok", Address: "192.0.2.7",
	}
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			if _, err := proto.Marshal(r); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("with", func(b *testing.B) {
		c := &chain{Writer: "build-0/abcdefgh"}
		a := &anchor{now: time.Now, chains: map[string]*reached{c.Writer: {}}}
		for b.Loop() {
			message, err := c.link(r)
			if err != nil {
				b.Fatal(err)
			}
			a.arrived(c.Sequence, message)
		}
	})
}
