package host_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

func TestAHostStartsAloneAndRecovers(t *testing.T) {
	w := prepare(t)
	w.platform.says(200, `{"data":{"id":12,"name":"Boa"}}`)
	w.startHost()
	if w.ready() {
		t.Error("ready without auth and NATS")
	}
	got := w.door.send(http.MethodPost, "/mcp", listTools, asMember)
	if got.status != 503 || got.header.Get("Retry-After") == "" {
		t.Errorf("without auth: %d %s", got.status, got.body)
	}
	if got := w.door.send(http.MethodGet, "/tools.json", ""); got.status != 200 {
		t.Errorf("/tools.json: %d", got.status)
	}
	w.startAuth()
	w.eventually("auth is found", func() bool { return w.door.send(http.MethodPost, "/mcp", listTools, asMember).status == 200 })
	if w.ready() {
		t.Error("ready without NATS")
	}
	w.startNATS()
	w.eventually("readiness", w.ready)
	w.door.ok("create_ship", `{"name":"Boa"}`, asMember)
}

func TestWithoutNATSReadsWorkAndWritesAreRefused(t *testing.T) {
	w := prepare(t)
	w.platform.says(200, `{"data":{"id":12,"name":"Boa"}}`)
	w.startNATS()
	w.startAuth()
	w.startHost()
	w.eventually("readiness", w.ready)
	w.door.ok("create_ship", `{"name":"Boa"}`, asMember)
	w.nats.Stop()
	before := len(w.platform.requests())
	w.door.ok("retrieve_ship", `{"ship_id":12}`, asMember)
	for _, call := range [][2]string{
		{"create_ship", `{"name":"Boa"}`}, {"create_ship", `{"name":"Boa","idempotency_key":"k"}`}, {"order_tug", `{"ship_id":12}`},
	} {
		if failure := w.door.fails(problem.EstadoInvalido, call[0], call[1], asMember); failure["reintentable"] != true {
			t.Errorf("%s: %v", call[0], failure)
		}
	}
	if n := len(w.platform.requests()) - before; n != 1 {
		t.Errorf("%d requests reached the platform, want the read alone", n)
	}
	if !w.ready() {
		t.Error("a host that can still read was taken away")
	}
	w.startNATS()
	w.eventually("writes work again", func() bool {
		return w.door.call("create_ship", `{"name":"Boa"}`, asMember)["result"].(map[string]any)["isError"] != true
	})
}

func TestTheSameKeyHasItsEffectOnce(t *testing.T) {
	w := prepare(t)
	var posts atomic.Int32
	w.platform.answer(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_, _ = fmt.Fprintf(rw, `{"data":{"id":%d,"name":"Boa"}}`, posts.Add(1))
			return
		}
		_, _ = io.WriteString(rw, `{"count":0,"results":[]}`)
	})
	w.startNATS()
	w.startAuth()
	w.startHost()
	w.eventually("readiness", w.ready)
	var wg sync.WaitGroup
	repeats := atomic.Int32{}
	for range 5 {
		wg.Go(func() {
			got := w.door.ok("create_ship", `{"name":"Boa","idempotency_key":"k1"}`, asMember)
			if got["data"].(map[string]any)["id"] != json.Number("1") {
				t.Errorf("another ship: %v", got)
			}
			if got["idempotente"] == true {
				repeats.Add(1)
			}
		})
	}
	wg.Wait()
	if posts.Load() != 1 || repeats.Load() != 4 {
		t.Errorf("%d ships, %d repeats", posts.Load(), repeats.Load())
	}
	w.door.fails(problem.Conflicto, "create_ship", `{"name":"Other","idempotency_key":"k1"}`, asMember)
	op := w.door.ok("order_tug", `{"ship_id":1,"idempotency_key":"k2"}`, asMember)
	again := w.door.ok("order_tug", `{"ship_id":1,"idempotency_key":"k2"}`, asMember)
	if op["operacion_id"] != again["operacion_id"] || again["idempotente"] != true {
		t.Errorf("%v, then %v", op, again)
	}
}

func TestTheEleventhCallOfASecondIsRefused(t *testing.T) {
	w := prepare(t)
	w.startNATS()
	w.startAuth()
	w.startHost()
	w.eventually("readiness", w.ready)
	for range 500 {
		result := w.door.call("ping", `{}`, asMember)["result"].(map[string]any)
		if result["isError"] != true {
			continue
		}
		text := result["content"].([]any)[0].(map[string]any)["text"].(string)
		if !strings.Contains(text, "limite_excedido") || !strings.Contains(text, `"reintentar_en_segundos":1`) || !strings.Contains(text, `"status":429`) {
			t.Error(text)
		}
		return
	}
	t.Error("500 calls in a row were allowed")
}

func TestAHostDrainsBeforeItEnds(t *testing.T) {
	w := prepare(t)
	arrived, finish := make(chan struct{}), make(chan struct{})
	w.platform.answer(func(rw http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-finish
		_, _ = io.WriteString(rw, `{"data":{"id":12,"name":"Boa"}}`)
	})
	w.startNATS()
	w.startAuth()
	w.startHost()
	w.eventually("readiness", w.ready)
	answered := make(chan map[string]any, 1)
	go func() { answered <- w.door.ok("retrieve_ship", `{"ship_id":12}`, asMember) }()
	<-arrived
	stopped := make(chan error, 1)
	go func() { stopped <- w.stop() }()
	w.eventually("readiness ends first", func() bool { return !w.ready() })
	close(finish)
	if got := <-answered; got["data"] == nil {
		t.Errorf("the running call got %v", got)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if _, err := http.Get(w.door.url + "/tools.json"); err == nil {
		t.Error("the port is still open")
	}
}

func TestAHostWithAWrongConfigurationDoesNotStart(t *testing.T) {
	if err := host.Run(t.Context(), harbour(), host.Config{}, nil); err == nil {
		t.Error("it started")
	}
}
