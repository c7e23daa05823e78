package local

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/build"
)

// soon is how long a change of a link may take to be everywhere (contract §4).
const soon = time.Second

// second is the name under which a second replica of build-mcp stands among the areas.
const second = "build-2"

// launchTwice starts everything and a second replica of build-mcp, with a port, a
// data folder and connections of its own.
func launchTwice(t *testing.T) *everything {
	t.Helper()
	var wiring *Wiring
	e := launch(t, fresh(t), hurried, func(w *Wiring) { wiring = w })
	cfg := wiring.Hosts["build"]
	cfg.Listen, cfg.PublicURL, cfg.DataDir = "127.0.0.1:0", "", t.TempDir()
	cfg.Telemetry.AdminListen = "127.0.0.1:0"
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ready, done := make(chan host.Addresses, 1), make(chan error, 1)
	go func() { done <- host.Run(ctx, build.Area, cfg, ready) }()
	select {
	case at := <-ready:
		e.ready.Areas = maps.Clone(e.ready.Areas)
		e.ready.Areas[second] = at.MCP
	case err := <-done:
		t.Fatalf("the second replica did not start: %v", err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the second replica did not stop cleanly: %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return e
}

// refusal calls a tool as the agent and gives how it was refused: the HTTP status, or
// the problem's code and reason; "" where it was answered.
func (e *everything) refusal(area, agent, tool string, args map[string]any) string {
	e.t.Helper()
	status, message := e.call(area, "", tool, args, agent)
	switch {
	case status != http.StatusOK:
		return strconv.Itoa(status)
	case !message.Result.IsError:
		return ""
	}
	detail, _ := message.Result.StructuredContent["detalle"].(map[string]any)
	return fmt.Sprintf("%v/%v", message.Result.StructuredContent["code"], detail["motivo"])
}

// everywhere waits until each host refuses the agent as wanted.
func (e *everything) everywhere(agent, want string) {
	e.t.Helper()
	until(e.t, soon, func() string {
		for area := range e.ready.Areas {
			if got := e.refusal(area, agent, "listar_empresas", nil); got != want {
				return fmt.Sprintf("%s answers %q, want %q", area, got, want)
			}
		}
		return ""
	})
}

// newest is the path of the newest agent on the person's page.
func (v *visitor) newest() string {
	v.t.Helper()
	v.do(http.MethodGet, "/me", nil)
	_, rest, found := strings.Cut(v.body, `<h3><a href="`)
	path, _, _ := strings.Cut(rest, `"`)
	if !found {
		v.t.Fatalf("no agent is on the page:\n%s", v.body)
	}
	return path
}

// click posts the form of the page at path that goes to action.
func (v *visitor) click(path, action string, change func(url.Values)) {
	v.t.Helper()
	v.do(http.MethodGet, path, nil)
	form := v.form(action)
	change(form)
	if response := v.do(http.MethodPost, action, form); response.StatusCode != http.StatusSeeOther {
		v.t.Fatalf("%s answers %d:\n%s", action, response.StatusCode, v.body)
	}
}

func deed(what string) func(url.Values) { return func(form url.Values) { form.Set("do", what) } }

func only(ids ...any) func(url.Values) {
	return func(form url.Values) {
		form.Set("only.application", "some")
		for _, id := range ids {
			form.Add("root.application", fmt.Sprintf("%.0f\tname", id))
		}
	}
}

func TestALinkOfOneApplicationSeesNothingElse(t *testing.T) {
	e := launchTwice(t)
	member := e.visitor()
	one, two := e.app("one"), e.app("two")
	agent := member.connectFor(e, []string{"build"}, func(form url.Values) {
		form.Set("read_only", "on")
		only(one)(form)
	})
	for _, area := range []string{"build", second} {
		listed := e.ok(area, "", "list_applications", nil, agent)["results"].([]any)
		if len(listed) != 1 || listed[0].(map[string]any)["id"] != one {
			t.Errorf("%s lists %v", area, listed)
		}
		e.ok(area, "", "retrieve_application", map[string]any{"application_id": one}, agent)
		for name, try := range map[string]struct {
			tool string
			args map[string]any
			want string
		}{
			"another id":                  {"retrieve_application", map[string]any{"application_id": two}, "sin_permiso/alcance"},
			"what is inside of another":   {"list_cache_settings", map[string]any{"application_id": two}, "sin_permiso/alcance"},
			"a write of the approved one": {"partial_update_application", map[string]any{"application_id": one, "name": "x"}, "sin_permiso/solo_lectura"},
			"a new one":                   {"create_application", map[string]any{"name": "x"}, "sin_permiso/solo_lectura"},
		} {
			if got := e.refusal(area, agent, try.tool, try.args); got != try.want {
				t.Errorf("%s, %s: %q, want %q", area, name, got, try.want)
			}
		}
		tools := e.names(area, "", agent)
		if !slices.Contains(tools, "retrieve_application") || slices.ContainsFunc(tools, func(name string) bool {
			return strings.HasPrefix(name, "create_") || strings.HasPrefix(name, "delete_") || strings.HasPrefix(name, "update_") || strings.HasPrefix(name, "partial_")
		}) {
			t.Errorf("%s shows who may only read: %v", area, tools)
		}
	}
}

// TestNarrowingStopsCallsThatRun narrows a link on /me while it calls two replicas
// of build-mcp without a pause.
func TestNarrowingStopsCallsThatRun(t *testing.T) {
	e := launchTwice(t)
	member := e.visitor()
	one, two := e.app("one"), e.app("two")
	agent := member.connectFor(e, []string{"build"}, only(one, two))
	ctx, stop := context.WithCancel(t.Context())
	var mu sync.Mutex
	last, refused := map[string]time.Time{}, map[string]int{} // the end of the last call that was let through
	var calling sync.WaitGroup
	for _, area := range []string{"build", second} {
		calling.Go(func() {
			for ctx.Err() == nil {
				got := e.refusal(area, agent, "retrieve_application", map[string]any{"application_id": two})
				mu.Lock()
				switch got {
				case "":
					last[area] = time.Now()
				case "sin_permiso/alcance":
					refused[area]++
				default:
					t.Errorf("%s answers %s", area, got)
				}
				mu.Unlock()
			}
		})
	}
	defer calling.Wait()
	defer stop()
	both := func(what string, enough func(area string) bool) {
		t.Helper()
		until(t, 20*time.Second, func() string {
			mu.Lock()
			defer mu.Unlock()
			if !enough("build") || !enough(second) {
				return fmt.Sprintf("not both replicas %s: %v %v", what, last, refused)
			}
			return ""
		})
	}
	both("answer", func(area string) bool { return !last[area].IsZero() })

	path := member.newest() + "/scope"
	member.click(path, path, func(form url.Values) {
		form.Set("area", "build")
		form.Set("days", "0")
		form.Set("ask", "destructivas")
		form.Del("root.application")
		only(one)(form)
		form.Set("decision", "save")
	})
	clicked := time.Now()
	both("refuse", func(area string) bool { return refused[area] >= 20 })
	stop()
	calling.Wait()
	for _, area := range []string{"build", second} {
		late := last[area].Sub(clicked)
		t.Logf("%s: the last call was let through %s after the click, then %d were refused", area, late.Round(time.Millisecond), refused[area])
		if late > soon {
			t.Errorf("%s let a call through %s after the click", area, late)
		}
		if got := e.refusal(area, agent, "retrieve_application", map[string]any{"application_id": one}); got != "" {
			t.Errorf("%s refuses what was left: %s", area, got)
		}
	}
}

func TestAPersonStopsAnAgentOnEveryHost(t *testing.T) {
	e := launchTwice(t)
	member := e.visitor()
	areas := []string{"docs", "build", "secure", "observe", "storage"}
	agent := member.connectFor(e, areas, func(form url.Values) { form.Set("ask", "nunca") })
	path := member.newest()
	e.everywhere(agent, "")
	member.click("/me", path, deed("pause"))
	e.everywhere(agent, "403")
	member.click("/me", path, deed("resume"))
	e.everywhere(agent, "")

	e.fault(`[{"method":"POST","path":"/workspace/workloads","kind":"status=429"}]`)
	running := e.ok("build", "", "create_workload", map[string]any{"name": "never-made"}, agent)["operacion_id"].(string)
	member.do(http.MethodGet, "/me", nil)
	if !strings.Contains(member.body, "Now:") {
		t.Errorf("the page does not say what runs:\n%s", member.body)
	}
	member.click(path, path, deed("revoke"))
	e.everywhere(agent, "401")
	e.fault(`[]`)
	until(t, 20*time.Second, func() string {
		member.do(http.MethodGet, "/me/calls?tool=create_workload&outcome=refused", nil)
		if !strings.Contains(member.body, "ended: refused") || !strings.Contains(member.body, running) || !strings.Contains(member.body, "revocado") {
			return "the running operation did not end in sin_permiso:\n" + member.body
		}
		return ""
	})
	member.do(http.MethodGet, "/me/calls.jsonl?tool=create_workload&outcome=refused", nil)
	for _, says := range []string{`"tipo":"operacion"`, `"resultado":"sin_permiso"`, `"motivo":"revocado"`, running} {
		if !strings.Contains(member.body, says) {
			t.Errorf("the file does not say %s: %s", says, member.body)
		}
	}
	if names := fmt.Sprint(e.ok("build", "member", "list_workloads", nil)["results"]); strings.Contains(names, "never-made") {
		t.Error("the workload was made for a link that was revoked")
	}
}
