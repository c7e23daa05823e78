package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/agent"
	"github.com/google/go-cmp/cmp"
)

func names(m *agent.Manager) []string {
	var all []string
	for _, tool := range m.Tools() {
		all = append(all, tool.Name)
	}
	return all
}

func TestOneServerThatFailsDoesNotStopTheOthers(t *testing.T) {
	o := quick()
	o.Reconnect.Tries = -1
	m := manager(t, o)
	err := m.Connect(t.Context(), agent.Servers{
		"good":   {Transport: inProcess()},
		"gone":   {Transport: agent.HTTP{URL: "http://127.0.0.1:1/mcp"}},
		"dies":   childServer("exits at once"),
		"a__b":   {Transport: inProcess()},
		"nil":    {},
		"bad":    {Transport: agent.HTTP{URL: "ftp://x"}},
		"header": {Transport: agent.HTTP{URL: "http://127.0.0.1:1", Headers: map[string]string{"Authorization": "Bearer x\n"}}},
		"proxy":  {Transport: agent.Proxy{URL: "http://127.0.0.1:1"}},
	})
	for _, want := range []string{
		"server gone:", "refused", "server dies:", "cannot open the database", `must not be empty, contain "__"`,
		"no transport", `"ftp://x" is no http`, "header Authorization holds a control character", "needs the id",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "Bearer x") {
		t.Error("the error tells a credential")
	}
	if r, err := m.Call(t.Context(), "mcp__good__echo", map[string]any{"text": "hi"}); err != nil || r.Text() != "hi" {
		t.Errorf("answer %v, error %v", r, err)
	}
	states := map[string]agent.State{}
	for _, st := range m.Status() {
		states[st.Server] = st.State
		if (st.Err == nil) != (st.State == agent.Connected) {
			t.Errorf("%s is %s because of %v", st.Server, st.State, st.Err)
		}
		if st.Server == "dies" && !slices.Equal(st.Stderr, []string{"cannot open the database"}) {
			t.Errorf("stderr %q", st.Stderr)
		}
	}
	want := map[string]agent.State{"good": agent.Connected, "gone": agent.Failed, "dies": agent.Failed}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Error(diff)
	}
}

func TestAllowAndDenyHideToolsAndRefuseCalls(t *testing.T) {
	for name, c := range map[string]struct {
		allow, deny []string
		want        []string
	}{
		"nothing said allows all":   {nil, nil, []string{"mcp__s__echo", "mcp__s__progress", "mcp__s__sleep"}},
		"allow names what is there": {[]string{"echo", "s*"}, nil, []string{"mcp__s__echo", "mcp__s__sleep"}},
		"deny wins":                 {[]string{"*"}, []string{"echo"}, []string{"mcp__s__progress", "mcp__s__sleep"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := manager(t, quick())
			if err := m.Connect(t.Context(), agent.Servers{"s": {Transport: inProcess(), Allow: c.allow, Deny: c.deny}}); err != nil {
				t.Fatal(err)
			}
			got := names(m)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			_, err := m.Call(t.Context(), "mcp__s__echo", map[string]any{"text": ""})
			if allowed := slices.Contains(c.want, "mcp__s__echo"); allowed != (err == nil) {
				t.Errorf("calling echo: %v", err)
			}
		})
	}
}

func TestServersAreSwitchedAndReplacedWhileRunning(t *testing.T) {
	m := manager(t, quick())
	if err := m.Connect(t.Context(), agent.Servers{"s": {Transport: inProcess()}}); err != nil {
		t.Fatal(err)
	}
	if err := m.Disable("s"); err != nil || len(m.Tools()) != 0 {
		t.Errorf("disabled: %v, tools %v", err, names(m))
	}
	if _, err := m.Call(t.Context(), "mcp__s__echo", nil); !errors.Is(err, agent.ErrDisabled) {
		t.Errorf("a call to a disabled server: %v", err)
	}
	if err := m.Enable(t.Context(), "s"); err != nil || len(m.Tools()) != 3 {
		t.Errorf("enabled: %v, tools %v", err, names(m))
	}
	other := agent.NewServer("other", "2")
	agent.AddTool(other, agent.Tool{Name: "new"}, func(context.Context, struct{}) (string, error) { return "new", nil })
	if err := m.Replace(t.Context(), "s", agent.ServerConfig{Transport: other}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"mcp__s__new"}, names(m)); diff != "" {
		t.Error(diff)
	}
	if err := m.Enable(t.Context(), "nobody"); err == nil {
		t.Error("a server that is not there was enabled")
	}
}

func TestDisablingEndsRunningCalls(t *testing.T) {
	for name, cfg := range map[string]agent.ServerConfig{"a child": childServer(""), "this process": {Transport: inProcess()}} {
		t.Run(name, func(t *testing.T) {
			m := manager(t, quick())
			if err := m.Connect(t.Context(), agent.Servers{"s": cfg}); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error)
			go func() {
				_, err := m.Call(t.Context(), "mcp__s__sleep", map[string]any{"text": ""})
				ended <- err
			}()
			if err := m.Disable("s"); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err == nil {
				t.Error("the call ended well")
			}
		})
	}
}

func TestAfterCloseNothingIsDone(t *testing.T) {
	m := agent.New(quick())
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.Connect(t.Context(), agent.Servers{"s": {Transport: inProcess()}}); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("Connect: %v", err)
	}
	if _, err := m.Call(t.Context(), "mcp__s__echo", nil); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("Call: %v", err)
	}
}

func TestToolNamesFitModels(t *testing.T) {
	long := strings.Repeat("very_long_", 9)
	s := agent.NewServer("s", "1")
	for _, name := range []string{"plain", "with.dot", "with/slash", long + "a", long + "b"} {
		agent.AddTool(s, agent.Tool{Name: name}, func(context.Context, struct{}) (string, error) { return name, nil })
	}
	m := manager(t, quick())
	if err := m.Connect(t.Context(), agent.Servers{"srv": {Transport: s}}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, tool := range m.Tools() {
		if len(tool.Name) > 64 || strings.ContainsAny(tool.Name, "./") || seen[tool.Name] {
			t.Errorf("name %q", tool.Name)
		}
		seen[tool.Name] = true
		if r, err := m.Call(t.Context(), tool.Name, nil); err != nil || r.Text() != tool.Remote {
			t.Errorf("%s answered %v, %v, want %s", tool.Name, r, err, tool.Remote)
		}
		if r, err := m.Call(t.Context(), "mcp__srv__"+tool.Remote, nil); err != nil || r.Text() != tool.Remote {
			t.Errorf("the full name of %s: %v, %v", tool.Remote, r, err)
		}
	}
	if len(seen) != 5 {
		t.Errorf("%d names", len(seen))
	}
}

func TestArgumentsOfAFunctionAreChecked(t *testing.T) {
	m := manager(t, quick())
	s := inProcess()
	agent.AddTool(s, agent.Tool{Name: "panics", ReadOnly: true}, func(context.Context, struct{}) (int, error) { panic("oh") })
	if err := m.Connect(t.Context(), agent.Servers{"s": {Transport: s}}); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]any{
		`missing`: map[string]any{}, `unexpected`: map[string]any{"text": "", "other": 1},
		`type`: map[string]any{"text": 7},
	} {
		_, err := m.Call(t.Context(), "mcp__s__echo", want)
		if e, ok := errors.AsType[*agent.ToolError](err); !ok || !strings.Contains(e.Text, "do not fit") {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := m.Call(t.Context(), "mcp__s__echo", []int{1}); err == nil || !strings.Contains(err.Error(), "JSON object") {
		t.Errorf("a list as arguments: %v", err)
	}
	if _, err := m.Call(t.Context(), "mcp__s__panics", nil); err == nil || !strings.Contains(err.Error(), "panicked: oh") {
		t.Errorf("a panic: %v", err)
	}
}

func TestAChangedListIsReadAgain(t *testing.T) {
	changed := make(chan string, 10)
	o := quick()
	o.Changed = func(server string) { changed <- server }
	server := testServer()
	m := manager(t, o)
	if err := m.Connect(t.Context(), agent.Servers{"s": {Transport: agent.HTTP{URL: serve(t, streamableOf(t, server, nil))}}}); err != nil {
		t.Fatal(err)
	}
	server.RemoveTools("sleep")
	deadline := time.After(20 * time.Second)
	for slices.Contains(names(m), "mcp__s__sleep") {
		select {
		case <-changed:
		case <-deadline:
			t.Fatal("the old list stayed")
		}
	}
}
