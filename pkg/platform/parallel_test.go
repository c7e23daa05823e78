package platform

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/turn"
)

// replicaTurns are the turns of one replica, over a connection of its own.
func replicaTurns(t *testing.T, url string) *turn.Turns {
	t.Helper()
	b, err := bus.Connect(bus.Config{URL: url}, t.Name(), slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := b.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	kv, err := b.KV(t.Context(), bus.Turns)
	if err != nil {
		t.Fatal(err)
	}
	return turn.New(kv, turn.Options{})
}

func TestParallelWritesOfTwoReplicasAllSucceed(t *testing.T) {
	nats, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Port: -1, Lax: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nats.Stop)
	platform := &serial{things: map[string]bool{}}
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	var replicas []*Client
	for range 2 {
		turns := replicaTurns(t, nats.URL())
		client, _ := clientOf(t, server.URL, func(_ *Config, o *Options) { o.Turns, o.Now, o.Sleep = turns, nil, nil })
		replicas = append(replicas, client)
	}
	create := &catalog.Tool{Name: "create_thing", Effect: catalog.Write, Creates: true, Binding: &catalog.Binding{Method: "POST", Path: "/things",
		Params: []catalog.Param{{Arg: "name", Name: "X-Name", In: catalog.Header}}}}

	all := func(request func(i int) Request) {
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				if _, err := replicas[i%2].Do(t.Context(), request(i)); err != nil {
					t.Errorf("%d: %v", i, err)
				}
			})
		}
		wg.Wait()
	}
	all(func(i int) Request {
		return Request{Tool: create, CompanyID: 1, Args: map[string]any{"name": strconv.Itoa(i)}}
	})
	if n := len(platform.things); n != 10 || platform.posts.Load() != 10 {
		t.Fatalf("%d things after %d POSTs", n, platform.posts.Load())
	}
	all(func(i int) Request {
		return Request{Tool: deleteThing, CompanyID: 1, Args: map[string]any{"thing_id": json.Number(strconv.Itoa(i))}}
	})
	if n := len(platform.things); n != 0 {
		t.Errorf("%d things are left", n)
	}
}
