package audit

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// The environment that makes this test binary the process that is killed.
const (
	childURL = "AUDIT_TEST_NATS"
	childDir = "AUDIT_TEST_DIR"
)

// childMain writes records and tells each call that was answered, until it is
// killed. It reports whether this process is such a child.
func childMain() bool {
	url := os.Getenv(childURL)
	if url == "" {
		return false
	}
	if err := childRun(url); err != nil {
		fmt.Println("child:", err)
		os.Exit(1)
	}
	return true
}

func childRun(url string) error {
	b, err := bus.Connect(bus.Config{URL: url}, "child", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return err
	}
	l, err := Open(Options{Bus: b, Dir: os.Getenv(childDir), Writer: "build-0"})
	if err != nil {
		return err
	}
	handler := l.Stage()(fine)
	for i := 0; ; i++ {
		effect := catalog.Read
		if i%5 == 0 {
			effect = catalog.Write
		}
		id := fmt.Sprintf("%d-%d", os.Getpid(), i)
		if _, err := handler(context.Background(), aCall(id, effect, map[string]any{"i": i})); err == nil {
			fmt.Println(id, effect)
		}
	}
}

func TestNothingAnsweredIsLostWhenTheProcessIsKilled(t *testing.T) {
	w := newWorld(t)
	answered := map[string]catalog.Effect{}
	for round := range 3 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childURL+"="+w.server.URL(), childDir+"="+w.dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		most := 300 + 37*round
		for n := 0; lines.Scan(); n++ {
			id, effect, ok := strings.Cut(lines.Text(), " ")
			if !ok || strings.HasPrefix(id, "child") {
				t.Fatalf("the child says %q", lines.Text())
			}
			answered[id] = catalog.Effect(effect)
			if n == most {
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = child.Wait() // "signal: killed" is what was wanted
		if len(answered) <= most {
			t.Fatalf("the child ended by itself after %d calls", len(answered))
		}
	}
	l := w.open()
	w.eventually("what was left is published", func() bool { return l.spool.Waiting() == 0 })
	w.close(l)
	recorded := map[string]string{}
	for _, r := range w.records(Filter{}) {
		recorded[r.GetCallId()] += kindName(r.GetKind()) + " "
	}
	for id, effect := range answered {
		want := "outcome "
		if effect == catalog.Write {
			want = "intent outcome "
		}
		if recorded[id] != want {
			t.Errorf("%s (%s): %q", id, effect, recorded[id])
		}
	}
	n := w.verify()
	t.Logf("%d calls answered, %d messages, no gap", len(answered), n)
}
