package local

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestASecondStartFindsItsData(t *testing.T) {
	cfg := fresh(t)
	first := launch(t, cfg)
	made := first.ok("build", "member", "create_application", map[string]any{"name": "kept-over-a-restart"})
	first.end()

	second := launch(t, cfg)
	if diff := cmp.Diff(first.ready, second.ready); diff != "" {
		t.Errorf("addresses or tokens changed:\n%s", diff)
	}
	id := made["data"].(map[string]any)["id"]
	again := second.ok("build", "member", "retrieve_application", map[string]any{"application_id": id})
	if diff := cmp.Diff(made["data"], again["data"]); diff != "" {
		t.Errorf("the application changed:\n%s", diff)
	}
	listed := second.ok("build", "member", "list_applications", nil)["results"].([]any)
	if !slices.ContainsFunc(listed, func(a any) bool { return a.(map[string]any)["id"] == id }) {
		t.Errorf("the application %v is not listed: %v", id, listed)
	}
}

func TestReadyJSONIsForItsOwnerAndSaysEverything(t *testing.T) {
	e := launch(t, fresh(t))
	path := e.cfg.dir(readyFile)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %o: it holds tokens", info.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var told map[string]any
	if err := json.Unmarshal(text, &told); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string][]string{
		"":        {"areas", "auth", "metrics", "nats", "platform", "tokens"},
		"areas":   {"build", "docs", "observe", "secure", "storage"},
		"metrics": {"auth", "build", "docs", "observe", "secure", "storage", "worker"},
		"tokens":  {"admin", "admin_2", "member", "outsider", "reader"},
	} {
		object := told
		if key != "" {
			object = told[key].(map[string]any)
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(object))); diff != "" {
			t.Errorf("keys of %q:\n%s", key, diff)
		}
	}
	if want := "http://127.0.0.1:" + strconv.Itoa(e.cfg.PortBase+2) + "/mcp"; told["areas"].(map[string]any)["build"] != want {
		t.Errorf("build is at %v, want %s", told["areas"], want)
	}
	e.end()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there when nothing answers any more: %v", err)
	}
}

func TestTakenPortsAreAllNamed(t *testing.T) {
	cfg := fresh(t)
	for _, offset := range []int{buildPort, natsPort, adminPort} {
		taken, err := net.Listen("tcp", address(cfg.port(offset)))
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
	}
	err := Run(t.Context(), cfg, Options{})
	if err == nil {
		t.Fatal("it started")
	}
	for _, want := range []string{
		strconv.Itoa(cfg.port(buildPort)) + " for build-mcp", strconv.Itoa(cfg.port(natsPort)) + " for NATS",
		strconv.Itoa(cfg.port(adminPort)) + " for auth metrics", "COMPORTA_PORT_BASE",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said:\n%v", want, err)
		}
	}
	if n := strings.Count(err.Error(), "is taken"); n != 3 {
		t.Errorf("%d ports are said to be taken, want 3:\n%v", n, err)
	}
	if entries, _ := os.ReadDir(cfg.Home); len(entries) > 1 { // the lock
		t.Errorf("it left things behind: %v", entries)
	}
}

func TestASecondProcessOnTheSameHomeIsRefused(t *testing.T) {
	e := launch(t, fresh(t))
	other := fresh(t)
	other.Home = e.cfg.Home
	err := Run(t.Context(), other, Options{})
	if err == nil || !strings.Contains(err.Error(), "COMPORTA_HOME") || !strings.Contains(err.Error(), e.cfg.Home) {
		t.Errorf("it says %v", err)
	}
	e.ok("build", "member", "ping", nil) // the first one goes on
}

func TestACancelStopsEverythingAndLeavesNothingRunning(t *testing.T) {
	before := goleak.IgnoreCurrent()
	e := launch(t, fresh(t))
	e.ok("build", "member", "list_applications", nil)
	e.ok("build", "member", "create_workload", map[string]any{"name": "cut-off"}) // still under way when the end comes
	e.end()
	goleak.VerifyNone(t, before)
	if err := checkFree(e.cfg.PortBase); err != nil {
		t.Errorf("ports are still held: %v", err)
	}
}

func TestACancelDuringTheStartIsAnOrderlyStop(t *testing.T) {
	before := goleak.IgnoreCurrent()
	cfg := fresh(t)
	ctx, cancel := context.WithCancel(t.Context())
	// The configurations are made, and nothing has started yet.
	err := Run(ctx, cfg, Options{Log: slog.New(slog.DiscardHandler), Adjust: func(w *Wiring) { lax(w); cancel() },
		Ready: func(Ready) { t.Error("it was ready all the same") }})
	if err != nil {
		t.Error(err)
	}
	goleak.VerifyNone(t, before)
	if _, err := os.Stat(cfg.dir(readyFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it left ready.json behind: %v", err)
	}
}

func TestConfigFromTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		name  string
		env   []string
		home  string
		base  int
		model string
		fault string
	}{
		{"nothing is set", nil, ".comporta", 8100, "", ""},
		{"both are set", []string{"COMPORTA_HOME=/data", "COMPORTA_PORT_BASE=9000"}, "/data", 9000, "", ""},
		{"empty is not set", []string{"COMPORTA_HOME=", "COMPORTA_PORT_BASE="}, ".comporta", 8100, "", ""},
		{"an area's own setting is set", []string{"COMPORTA_GRAPHQL_MODEL_URL=http://127.0.0.1:1/v1", "COMPORTA_GRAPHQL_MODEL_NAME=m"}, ".comporta", 8100, "http://127.0.0.1:1/v1", ""},
		{"an area's own setting is wrong", []string{"COMPORTA_GRAPHQL_MODEL_URL=nowhere"}, "", 0, "", "graphql.model"},
		{"a variable that nothing knows", []string{"COMPORTA_GRAPHQL_MODLE_URL=x"}, "", 0, "", "COMPORTA_GRAPHQL_MODEL_URL"},
		{"a base that is no number", []string{"COMPORTA_PORT_BASE=many"}, "", 0, "", "must be a number"},
		{"a base among the reserved ports", []string{"COMPORTA_PORT_BASE=80"}, "", 0, "", "between 1024"},
		{"a base without room for all ports", []string{"COMPORTA_PORT_BASE=65530"}, "", 0, "", "between 1024"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := FromEnv(append([]string{}, c.env...))
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("%v, want %q", err, c.fault)
				}
				return
			}
			if err != nil || got.Home != c.home || got.PortBase != c.base || got.Own.Observe.GraphQL.Model.URL != c.model {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}
