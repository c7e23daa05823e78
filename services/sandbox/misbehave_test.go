package sandbox

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const newGarden = `{"name":"Horta"}`

func TestEveryFaultDoesWhatItSays(t *testing.T) {
	tests := []struct {
		fault   string
		status  int    // 0: the connection ends without an answer
		media   string // of the answer
		retry   string // Retry-After
		effects int
	}{
		{"delay=1h", 201, "application/json", "", 1},
		{"delay-after=1h", 201, "application/json", "", 1},
		{"500", 500, "application/json", "", 0},
		{"500-after", 500, "application/json", "", 1},
		{"status=503", 503, "application/json", "", 0},
		{"status=429", 429, "application/json", "1", 0},
		{"status=429;retry-after=45", 429, "application/json", "45", 0},
		{"status=429;retry-after=date:60", 429, "application/json", "Sun, 01 Mar 2026 12:01:00 GMT", 0},
		{"status=429;retry-after=none", 429, "application/json", "", 0},
		{"html", 502, "text/html", "", 0},
		{"html-after", 502, "text/html", "", 1},
		{"empty500", 500, "", "", 0},
		{"truncate", 200, "application/json", "", 1},
		{"close", 0, "", "", 0},
		{"close-after", 0, "", "", 1},
		{"delay=1h,500", 500, "application/json", "", 0},
		{"overlap", 201, "application/json", "", 1},
	}
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			b := open(t, gardens())
			var slept atomic.Int64
			b.server.sleep = func(_ context.Context, d time.Duration) { slept.Add(int64(d)) }
			g, err := b.send("admin", "POST", "/workspace/gardens", newGarden, with(faultHeader, tt.fault))
			if (err != nil) != (tt.status == 0) || g.status != tt.status {
				t.Fatalf("got %d %v, want %d", g.status, err, tt.status)
			}
			if g.header.Get("Content-Type") != tt.media || g.header.Get("Retry-After") != tt.retry {
				t.Errorf("headers %v", g.header)
			}
			if n := b.effects("create_garden"); n != tt.effects {
				t.Errorf("it took effect %d times, want %d", n, tt.effects)
			}
			if strings.HasPrefix(tt.fault, "delay") && time.Duration(slept.Load()) != time.Hour {
				t.Errorf("slept %v", time.Duration(slept.Load()))
			}
			wantBody(t, tt.fault, g)
		})
	}
}

func wantBody(t *testing.T, fault string, g got) {
	t.Helper()
	switch {
	case fault == "truncate":
		if json.Valid(g.raw) || !strings.HasPrefix(string(g.raw), `{"data"`) {
			t.Errorf("not half an answer: %q", g.raw)
		}
	case fault == "empty500":
		if len(g.raw) != 0 {
			t.Errorf("it is not empty: %q", g.raw)
		}
	case strings.HasPrefix(fault, "html"):
		if !strings.HasPrefix(string(g.raw), "<!DOCTYPE html>") {
			t.Errorf("no page: %q", g.raw)
		}
	case strings.HasPrefix(fault, "500"):
		wantFault(t, g, "10500", "")
	case strings.HasPrefix(fault, "status=429"):
		wantFault(t, g, "10010", "")
	}
}

func TestADelayEndsWhenTheCallerGoesAway(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sleep(ctx, time.Hour) // or this test does not end
}

func TestAFaultThatIsNoneIsRefused(t *testing.T) {
	b := open(t, gardens())
	for _, bad := range []string{"delay", "delay=soon", "status=200", "explode", "500,", "html;retry-after=1", "status=429;retry-after=x"} {
		wantFault(t, b.do(400, "admin", "GET", "/workspace/gardens", nil, with(faultHeader, bad)), "10000", faultHeader)
		b.do(400, "", "PUT", "/_sandbox/faults", []any{map[string]any{"kind": bad}})
	}
	b.do(400, "", "PUT", "/_sandbox/faults", []any{map[string]any{"kind": "500", "probability": 2}})
	b.do(400, "", "PUT", "/_sandbox/faults", []any{map[string]any{"kind": "500", "paht": "/x"}})
}

func TestARuleMeetsItsOwnRequestsAsOftenAsItSays(t *testing.T) {
	b := open(t, gardens())
	path := b.garden("Horta")
	b.do(200, "", "PUT", "/_sandbox/faults", []any{
		map[string]any{"account": company("admin"), "method": "get", "path": "/v4/workspace/gardens/*/beds", "kind": "status=503", "count": 2},
		map[string]any{"account": company("outsider"), "kind": "html"},
	})
	b.do(200, "admin", "GET", path, nil)
	b.do(201, "admin", "POST", path+"/beds", map[string]any{"name": "b"})
	b.do(502, "outsider", "GET", "/workspace/gardens", nil)
	b.do(503, "admin", "GET", path+"/beds", nil)
	left := b.do(200, "", "GET", "/_sandbox/faults", nil).body["rules"].([]any)
	if len(left) != 2 || text(left[0].(map[string]any)["count"]) != "1" {
		t.Errorf("left %v", left)
	}
	b.do(503, "member", "GET", path+"/beds", nil)
	b.do(200, "admin", "GET", path+"/beds", nil)
	if left := b.do(200, "", "DELETE", "/_sandbox/faults", nil).body["rules"].([]any); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	b.do(200, "outsider", "GET", "/workspace/gardens", nil)
}

func TestWritesOfOneAccountThatOverlapAreRefused(t *testing.T) {
	b := open(t, gardens())
	b.do(200, "", "PUT", "/_sandbox/faults", []any{map[string]any{"kind": "overlap=1h"}})
	holding, release := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	b.server.sleep = func(context.Context, time.Duration) {
		if first.CompareAndSwap(false, true) {
			close(holding)
			<-release
		}
	}
	done := make(chan int)
	go func() {
		g, err := b.send("admin", "POST", "/workspace/gardens", newGarden)
		if err != nil {
			t.Error(err)
		}
		done <- g.status
	}()
	<-holding
	b.do(409, "member", "POST", "/workspace/gardens", newGarden)
	b.do(200, "admin", "GET", "/workspace/gardens", nil)
	b.do(201, "outsider", "POST", "/workspace/gardens", newGarden)
	close(release)
	if status := <-done; status != 201 {
		t.Errorf("the first write got %d", status)
	}
	b.do(201, "member", "POST", "/workspace/gardens", newGarden)
	if n := b.effects("create_garden"); n != 2 {
		t.Errorf("%d writes took effect, want the two that were answered well", n)
	}
}

func TestRequestsAreRecordedAsTheyCameWithoutTheirCredentials(t *testing.T) {
	b := open(t, gardens())
	b.do(201, "admin", "POST", "/workspace/gardens", newGarden, with("Idempotency-Key", "k"))
	b.do(404, "admin", "GET", "/workspace/gardens/..%2f1?x=%20a", nil)
	b.do(401, "", "GET", "/workspace/gardens", nil, with("Authorization", "Bearer secret-thing"))
	if _, err := b.send("admin", "POST", "/workspace/gardens", newGarden, with(faultHeader, "close")); err == nil {
		t.Error("the connection was not closed")
	}
	g := b.do(200, "", "GET", "/_sandbox/requests", nil)
	for _, secret := range []string{Tokens()["admin"], "secret-thing"} {
		if strings.Contains(string(g.raw), secret) {
			t.Errorf("the record tells a credential: %s", g.raw)
		}
	}
	want := []string{
		"POST /v4/workspace/gardens " + newGarden + " 201 7001",
		"GET /v4/workspace/gardens/..%2f1?x=%20a  404 7001",
		"GET /v4/workspace/gardens  401 0",
		"POST /v4/workspace/gardens " + newGarden + " 0 7001",
	}
	requests, _ := g.body["requests"].([]any)
	if len(requests) != len(want) {
		t.Fatalf("recorded %s", g.raw)
	}
	for i, r := range requests {
		r := r.(map[string]any)
		line := strings.Join([]string{text(r["method"]), text(r["target"]), text(r["body"]), text(r["status"]), text(r["account"])}, " ")
		if line != want[i] {
			t.Errorf("recorded %q, want %q", line, want[i])
		}
	}
	one := b.do(200, "", "GET", "/_sandbox/requests?method=get&path=/workspace&account=7001&limit=1", nil)
	if requests, _ := one.body["requests"].([]any); len(requests) != 1 {
		t.Errorf("asked for one: %s", one.raw)
	}
	b.do(200, "", "DELETE", "/_sandbox/requests", nil)
	if requests, _ := b.do(200, "", "GET", "/_sandbox/requests", nil).body["requests"].([]any); len(requests) != 0 {
		t.Errorf("still recorded: %v", requests)
	}
}

func TestTheJournalTellsWhatTookEffectOnWhat(t *testing.T) {
	b := open(t, gardens())
	path := b.garden("Horta")
	b.garden("Horta")
	b.garden("Jardim")
	b.do(200, "admin", "DELETE", path, nil)
	b.do(201, "outsider", "POST", "/workspace/gardens", newGarden)
	b.restart()
	g := b.do(200, "", "GET", "/_sandbox/effects?account=7001&tool=create_garden", nil)
	effects, _ := g.body["effects"].([]any)
	if text(g.body["total"]) != "3" || len(effects) != 2 {
		t.Fatalf("journal %s", g.raw)
	}
	horta := effects[0].(map[string]any)
	if horta["name"] != "Horta" || text(horta["count"]) != "2" || horta["paths"].([]any)[0] != path {
		t.Errorf("journal %s", g.raw)
	}
	if n := text(b.do(200, "", "GET", "/_sandbox/effects", nil).body["total"]); n != "5" {
		t.Errorf("%s effects in all", n)
	}
}

func TestResetForgetsOneAccountOnly(t *testing.T) {
	b := open(t, gardens())
	path := b.garden("Horta")
	b.do(201, "outsider", "POST", "/workspace/gardens", newGarden)
	b.do(400, "", "POST", "/_sandbox/reset", nil)
	b.do(400, "", "POST", "/_sandbox/reset?account=x", nil)
	b.do(200, "", "POST", "/_sandbox/reset?account=7001", nil)
	b.do(404, "admin", "GET", path, nil)
	if n := b.effects(""); n != 0 {
		t.Errorf("%d effects are left", n)
	}
	if names := b.do(200, "outsider", "GET", "/workspace/gardens", nil).names(); names != "Horta" {
		t.Errorf("the outsider has %q", names)
	}
}

func TestControlPathsThatAreNoneAreNotFound(t *testing.T) {
	b := open(t, gardens())
	b.do(http.StatusNotFound, "", "GET", "/_sandbox/nothing", nil)
	b.do(http.StatusMethodNotAllowed, "", "POST", "/_sandbox/effects", nil)
	people, _ := b.do(200, "", "GET", "/_sandbox/people", nil).body["people"].([]any)
	if len(people) != 5 {
		t.Errorf("people: %v", people)
	}
}
