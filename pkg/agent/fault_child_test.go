package agent_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/agent"
)

func TestChildrenThatMisbehave(t *testing.T) {
	t.Cleanup(func() {
		if left := children(t); left != "" {
			t.Errorf("processes left:\n%s", left)
		}
	})
	for name, c := range map[string]struct {
		mode string
		call string // tool; empty: connecting fails
		args map[string]any
		fail string // in the error; empty: the call works
		text string // in the answer
		why  string // in the status
	}{
		"one that ends its lines with CRLF is understood": {mode: "talks CRLF", call: "echo", args: map[string]any{"text": "hi"}, text: "hi"},
		"what it prints besides messages is passed over":  {mode: "talks on stdout", call: "echo", args: map[string]any{"text": "hi"}, text: "hi"},
		"an answer of 5 MiB on one line arrives whole":    {call: "big", args: map[string]any{"text": "", "size": 5 << 20}, text: strings.Repeat("x", 5<<20)},
		"one that exits at once is told with its last words": {
			mode: "exits at once", fail: "cannot open the database", why: "cannot open the database"},
		"one that never answers the handshake is given up": {
			mode: "answers nothing", fail: "did not answer the handshake in time", why: "handshake"},
		"one that has to be killed is killed": {
			mode: "neither reads nor leaves", fail: "did not answer the handshake in time", why: "handshake"},
		"one that dies in the middle of a call fails the call and says why": {
			call: "die", args: map[string]any{"text": ""}, fail: "out of luck"},
		"one that never answers a call is given up at the deadline": {
			call: "sleep", args: map[string]any{"text": ""}, fail: "no answer within"},
		"one that stops reading does not hold the call for ever": {
			mode: "stops reading", call: "big", args: map[string]any{"text": strings.Repeat("y", 4<<20)}, fail: ""},
		"what it started itself goes with it": {
			mode: "starts another and ignores the end", call: "echo", args: map[string]any{"text": "hi"}, text: "hi"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := quick()
			if c.call == "sleep" || c.mode == "stops reading" {
				o.CallTimeout = time.Second
			}
			if c.call == "" {
				o.Reconnect.Tries = -1
			}
			if strings.Contains(c.fail, "handshake") {
				o.ConnectTimeout = time.Second
			}
			m := agent.New(o)
			defer m.Close()
			err := m.Connect(t.Context(), agent.Servers{"c": childServer(c.mode)})
			if c.call != "" && err == nil {
				var r *agent.Result
				if r, err = m.Call(t.Context(), "mcp__c__"+c.call, c.args); err == nil && r.Text() != c.text {
					t.Errorf("answer of %d bytes, want %d", len(r.Text()), len(c.text))
				}
			}
			if c.mode == "stops reading" {
				if err == nil {
					t.Error("the call worked without being read")
				}
				return
			}
			if (err == nil) != (c.fail == "") || err != nil && !strings.Contains(err.Error(), c.fail) {
				t.Errorf("error %v, want %q in it", err, c.fail)
			}
			if st := m.Status()[0]; c.why != "" && (st.State != agent.Failed || st.Err == nil || !strings.Contains(st.Err.Error(), c.why)) {
				t.Errorf("status %+v, want %q in it", st, c.why)
			}
		})
	}
}

// TestOneCallStartsFewChildren is B39: a child that cannot start is started three
// times in all, however many callers want it at once.
func TestOneCallStartsFewChildren(t *testing.T) {
	log := filepath.Join(t.TempDir(), "starts")
	script := filepath.Join(t.TempDir(), "child.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho start >>"+log+"\necho no luck >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := quick()
	o.Reconnect.Max = time.Minute
	m := manager(t, o)
	cfg := agent.ServerConfig{Transport: agent.Stdio{Command: script}, Disabled: true}
	if err := m.Connect(t.Context(), agent.Servers{"c": cfg}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { _ = m.Enable(t.Context(), "c") })
	for range 20 {
		wg.Go(func() {
			for {
				_, err := m.Call(t.Context(), "mcp__c__echo", nil)
				if errors.Is(err, agent.ErrDisabled) {
					continue // Enable has not come yet
				}
				if err == nil || !strings.Contains(err.Error(), "no luck") {
					t.Errorf("error %v, want the child's last words", err)
				}
				return
			}
		})
	}
	wg.Wait()
	starts, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(starts), "start"); n != 3 {
		t.Errorf("%d starts, want 1 and 2 repeats", n)
	}
}

func TestACommandThatIsNotThereIsNotRepeated(t *testing.T) {
	m := manager(t, agent.Options{}) // with real waits: the test would take 3 s
	began := time.Now()
	err := m.Connect(t.Context(), agent.Servers{"c": {Transport: agent.Stdio{Command: "no-such-command-here"}}})
	if err == nil || !strings.Contains(err.Error(), "neither on PATH nor an executable file") {
		t.Errorf("error %v", err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %s: it was repeated", took)
	}
}

func TestAChildInheritsOnlyWhatItNeeds(t *testing.T) {
	t.Setenv("SECRET_API_KEY", "of the parent")
	t.Setenv("LC_TEST", "pt_BR")
	m := manager(t, quick())
	if err := m.Connect(t.Context(), agent.Servers{"c": childServer("")}); err != nil {
		t.Fatal(err)
	}
	r, err := m.Call(t.Context(), "mcp__c__environment", map[string]any{"text": ""})
	if err != nil {
		t.Fatal(err)
	}
	if env := r.Text(); strings.Contains(env, "SECRET_API_KEY") || !strings.Contains(env, "LC_TEST=pt_BR") ||
		!strings.Contains(env, "PATH=") || !strings.Contains(env, modeVariable+"=") {
		t.Errorf("the child sees:\n%s", env)
	}
}

func TestAChildThatDiedIsStartedAgain(t *testing.T) {
	m := manager(t, quick())
	if err := m.Connect(t.Context(), agent.Servers{"c": childServer("")}); err != nil {
		t.Fatal(err)
	}
	_, err := m.Call(t.Context(), "mcp__c__die", map[string]any{"text": ""})
	if !errors.Is(err, agent.ErrUnknownEffect) || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("error %v, want an unknown effect and the exit status", err)
	}
	r, err := m.Call(t.Context(), "mcp__c__echo", map[string]any{"text": "again"})
	if err != nil || r.Text() != "again" {
		t.Errorf("answer %v, error %v", r, err)
	}
}

// TestAChildGoesWithAParentThatIsKilled: the kernel ends a child that would not
// leave by itself.
func TestAChildGoesWithAParentThatIsKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux ends a child with its parent")
	}
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), modeVariable+"=is a parent")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = parent.Process.Kill()
	_ = parent.Wait()
	pid, parseErr := strconv.Atoi(strings.Trim(line, "[]\n"))
	if err != nil || parseErr != nil {
		t.Fatalf("the parent said %q: %v, %v", line, err, parseErr)
	}
	for deadline := time.Now().Add(20 * time.Second); alive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("child %d outlives its parent", pid)
		}
	}
}

// alive reports whether a process runs; one that nobody has reaped yet does not.
func alive(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(status), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}
