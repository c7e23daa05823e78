package platform

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

// virtual makes a client's time pass only while it sleeps.
func virtual(time *clock) func(*Config, *Options) {
	return func(_ *Config, o *Options) { o.Now, o.Sleep = time.Now, time.Sleep }
}

const gatewayPage = `<html><head><title>502 Bad Gateway</title></head><body>nginx at node-17.internal</body></html>`

// sentences is everything a caller reads of a problem.
func sentences(p *problem.Problem) string {
	detail, _ := json.Marshal(p.Detail)
	return p.What.String() + "|" + p.Do.String() + "|" + string(detail)
}

func TestUpstreamTroubleNeverReachesTheCallerRaw(t *testing.T) {
	unavailable := "The platform failed while it handled retrieve_thing.|Wait reintentar_en_segundos and call again; if it keeps failing, tell the person that the platform has trouble."
	unreadable := "The platform's answer to retrieve_thing cannot be read.|Wait reintentar_en_segundos and call again; if it keeps failing, tell the person that the platform has trouble."
	unknown := "create_thing was sent, but the platform's answer was lost: it may or may not have taken effect.|Do not simply repeat it. Call list_things first, and call again only if nothing changed."
	told := `{"operacion":"create_thing","status":503}`
	for name, c := range map[string]struct {
		handle      http.HandlerFunc
		read, write string
	}{
		"502 with a page":                 {answer(502, "text/html", gatewayPage), unavailable + `|{"operacion":"retrieve_thing","status":502}`, unknown + `|{"herramienta":"list_things","motivo":"resultado_desconocido","operacion":"create_thing","status":502}`},
		"503 with a page":                 {answer(503, "text/html", gatewayPage), unavailable + `|{"operacion":"retrieve_thing","status":503}`, unknown + `|{"herramienta":"list_things","motivo":"resultado_desconocido","operacion":"create_thing","status":503}`},
		"503 with a page and Retry-After": {answer(503, "text/html", gatewayPage, "Retry-After", "60"), unavailable + `|{"operacion":"retrieve_thing","status":503}`, strings.ReplaceAll(unavailable, "retrieve", "create") + "|" + told},
		"504 with a page":                 {answer(504, "text/html", gatewayPage), unavailable + `|{"operacion":"retrieve_thing","status":504}`, unknown + `|{"herramienta":"list_things","motivo":"resultado_desconocido","operacion":"create_thing","status":504}`},
		"500 with nothing":                {answer(500, "application/json", "", "X-Request-Id", "req-7"), unavailable + `|{"operacion":"retrieve_thing","solicitud":"req-7","status":500}`, unknown + `|{"herramienta":"list_things","motivo":"resultado_desconocido","operacion":"create_thing","solicitud":"req-7","status":500}`},
		"200 with half a JSON":            {answerJSON(200, `{"data":{"id":4`), unreadable + `|{"operacion":"retrieve_thing","status":200}`, unknown + `|{"herramienta":"list_things","motivo":"resultado_desconocido","operacion":"create_thing","status":200}`},
		"200 with a page":                 {answer(200, "text/html", gatewayPage), unreadable + `|{"operacion":"retrieve_thing","status":200}`, unknown + `|{"herramienta":"list_things","motivo":"resultado_desconocido","operacion":"create_thing","status":200}`},
		"200 with a page called JSON":     {answerJSON(200, gatewayPage), unreadable + `|{"operacion":"retrieve_thing","status":200}`, unknown + `|{"herramienta":"list_things","motivo":"resultado_desconocido","operacion":"create_thing","status":200}`},
	} {
		t.Run(name, func(t *testing.T) {
			stub := newStub(t, c.handle)
			time := &clock{}
			client, _ := clientOf(t, stub.URL, virtual(time))
			for _, half := range []struct {
				request Request
				want    string
			}{{withID(retrieveThing, "1"), c.read}, {creation("x"), c.write}} {
				_, err := client.Do(t.Context(), half.request)
				p := problem.As(err)
				if diff := cmp.Diff(half.want, sentences(p)); diff != "" {
					t.Error(diff)
				}
				if p.Code != problem.EstadoInvalido || p.Upstream == 0 || p.Retryable == IsUnknown(p) {
					t.Errorf("%s, upstream %d, retryable %t", p.Code, p.Upstream, p.Retryable)
				}
				if p.Retryable && p.RetryAfter < 1e9 {
					t.Errorf("wait %s", p.RetryAfter)
				}
			}
			posts := 0
			for _, r := range stub.requests() {
				if r.method == http.MethodPost {
					posts++
				}
			}
			if posts != 1 {
				t.Errorf("%d POSTs", posts)
			}
		})
	}
}

func TestTooManyRequestsAreAnsweredInTime(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		retryAfter  string
		wait        time.Duration
		sent, sleep int
	}{
		"a long wait in seconds is left to the caller": {"45", 45 * time.Second, 1, 0},
		"a date too":                            {now.Add(45 * time.Second).Format(http.TimeFormat), 46 * time.Second, 1, 0},
		"a short wait is waited, then given up": {"2", 2 * time.Second, 4, 3},
		"without a word there are a few tries":  {"", defaultWait, 4, 3},
		"nonsense counts as no word":            {"soon", defaultWait, 4, 3},
		"a negative number too":                 {"-5", defaultWait, 4, 3},
		"an absurd wait is bounded":             {"99999999999", time.Hour, 1, 0},
		"a date that has passed means a moment": {now.Add(-time.Hour).Format(http.TimeFormat), time.Second, 4, 3},
	} {
		t.Run(name, func(t *testing.T) {
			stub := newStub(t, answerJSON(429, `{"errors":[{"detail":"Request was throttled."}]}`))
			if c.retryAfter != "" {
				stub.Config.Handler = answerAnd(stub, 429, c.retryAfter)
			}
			time := &clock{now: now}
			client, _ := clientOf(t, stub.URL, virtual(time))
			_, err := client.Do(t.Context(), withID(retrieveThing, "1"))
			p := problem.As(err)
			if p.Code != problem.LimiteExcedido || p.RetryAfter != c.wait || p.Detail["limite"] != "plataforma" || p.Detail["status"] != 429 {
				t.Errorf("%v, wait %s, %v", p, p.RetryAfter, p.Detail)
			}
			if n := len(stub.requests()); n != c.sent || len(time.slept) != c.sleep {
				t.Errorf("%d requests, slept %v", n, time.slept)
			}
			if took := time.Now().Sub(now); took >= 10e9 {
				t.Errorf("the call took %s", took)
			}
		})
	}
	t.Run("a write is not repeated", func(t *testing.T) {
		stub := newStub(t, answerJSON(429, ``, "Retry-After", "1"))
		time := &clock{now: now}
		client, _ := clientOf(t, stub.URL, virtual(time))
		_, err := client.Do(t.Context(), creation("x"))
		if p := problem.As(err); p.Code != problem.LimiteExcedido || p.RetryAfter != 1e9 || len(stub.requests()) != 1 {
			t.Errorf("%v, %d requests", p, len(stub.requests()))
		}
	})
	t.Run("waiting ends when the call is cancelled", func(t *testing.T) {
		stub := newStub(t, answerJSON(429, ``, "Retry-After", "5"))
		ctx, cancel := context.WithCancel(t.Context())
		client, _ := clientOf(t, stub.URL, func(_ *Config, o *Options) {
			o.Now = time.Now
			o.Sleep = func(ctx context.Context, d time.Duration) error { cancel(); return sleep(ctx, d) }
		})
		if _, err := client.Do(ctx, withID(retrieveThing, "1")); !problem.Is(err, problem.LimiteExcedido) || len(stub.requests()) != 1 {
			t.Errorf("error %v, %d requests", err, len(stub.requests()))
		}
	})
}

// answerAnd is the stub's handler with a Retry-After beside the status.
func answerAnd(s *stub, status int, retryAfter string) http.Handler {
	inner := answerJSON(status, `{}`, "Retry-After", retryAfter)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, seen{method: r.Method, target: r.RequestURI})
		s.mu.Unlock()
		inner(w, r)
	})
}

func TestReadsSurviveShortTrouble(t *testing.T) {
	good := answerJSON(200, `{"data":{"id":9007199254740993}}`)
	for name, bad := range map[string]http.HandlerFunc{
		"a 500":                  answerJSON(500, `{"errors":[{"detail":"x"}]}`),
		"a page":                 answer(502, "text/html", gatewayPage),
		"a closed connection":    drop,
		"half an answer":         answerJSON(200, `{"data":`),
		"too many requests once": answerJSON(429, ``, "Retry-After", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			stub := newStub(t, inTurn(bad, bad, good))
			time := &clock{}
			client, _ := clientOf(t, stub.URL, virtual(time))
			got, err := client.Do(t.Context(), withID(retrieveThing, "1"))
			if err != nil {
				t.Fatal(err)
			}
			if id := got.Value["data"].(map[string]any)["id"]; id != json.Number("9007199254740993") {
				t.Errorf("id %v", id)
			}
		})
	}
}

func TestACancelledCallAbortsItsRequest(t *testing.T) {
	for _, request := range []Request{withID(retrieveThing, "1"), creation("x")} {
		aborted, arrived := make(chan struct{}), make(chan struct{})
		stub := newStub(t, func(_ http.ResponseWriter, r *http.Request) {
			close(arrived)
			<-r.Context().Done()
			close(aborted)
		})
		client, _ := clientOf(t, stub.URL)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-arrived; cancel() }()
		_, err := client.Do(ctx, request)
		<-aborted
		if p := problem.As(err); p.Code != problem.EstadoInvalido || IsUnknown(err) != request.Tool.Writes() {
			t.Errorf("%s: %v", request.Tool.Name, err)
		}
	}
}

func TestRequestsAreCounted(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	stub := newStub(t, inTurn(answerJSON(200, `{}`), answerJSON(400, `{}`)))
	with := func(_ *Config, o *Options) { o.Metrics = registry }
	first, _ := clientOf(t, stub.URL, with)
	second, _ := clientOf(t, stub.URL, with) // several clients share a registry
	_, _ = first.Do(t.Context(), withID(retrieveThing, "1"))
	_, _ = second.Do(t.Context(), creation("x"))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, family := range families {
		for _, m := range family.Metric {
			labels := family.GetName()
			for _, label := range m.Label {
				labels += " " + label.GetValue()
			}
			got[labels] = int(m.GetCounter().GetValue()) + int(m.GetHistogram().GetSampleCount())
		}
	}
	want := map[string]int{
		"comporta_upstream_requests_total 2xx GET retrieve_thing": 1,
		"comporta_upstream_requests_total 4xx POST create_thing":  1,
		"comporta_upstream_request_duration_seconds 2xx GET":      1,
		"comporta_upstream_request_duration_seconds 4xx POST":     1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
