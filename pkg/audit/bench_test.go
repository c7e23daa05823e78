package audit

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
	"github.com/comporta-mcp/comporta/pkg/catalog"
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
