package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestAKillUnderWritesLosesNothingThatWasAnswered kills the real program with
// SIGKILL while eight writers are at it, starts it again on the same folder, and
// looks for everything that an answer had promised.
func TestAKillUnderWritesLosesNothingThatWasAnswered(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and kills the program; run without -short")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "comporta-sandbox")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./comporta-sandbox").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	answered := map[string]string{} // id to name
	for round := range 3 {
		p := startProgram(t, program, filepath.Join(dir, "data"))
		for id, name := range answered {
			if got := p.nameOf(t, id); got != name {
				t.Errorf("round %d: %s is %q, want %q", round, id, got, name)
			}
		}
		p.writeAndKill(t, round, answered)
	}
	if len(answered) < 3*killAfter {
		t.Errorf("only %d writes were answered", len(answered))
	}
}

// killAfter is how many answers a round waits for before it kills.
const killAfter = 40

type program struct {
	cmd  *exec.Cmd
	base string
}

func startProgram(t *testing.T, path, data string) *program {
	t.Helper()
	p := &program{cmd: exec.CommandContext(t.Context(), path, "--listen", "127.0.0.1:0", "--data-dir", data)}
	said, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	for p.base == "" {
		if !lines.Scan() {
			t.Fatalf("the program ended: %v", p.cmd.Wait())
		}
		var line struct{ Platform string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("the program says: %s", lines.Text())
		}
		p.base = line.Platform
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	return p
}

func (p *program) send(method, path, body string) (string, map[string]any, error) {
	r, err := http.NewRequest(method, p.base+path, strings.NewReader(body))
	if err != nil {
		return "", nil, err
	}
	r.Header.Set("Authorization", "Token "+Tokens()["member"])
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", nil, err
	}
	defer resp.Body.Close()
	var answer struct{ Data map[string]any }
	d := json.NewDecoder(resp.Body)
	d.UseNumber()
	err = d.Decode(&answer)
	return resp.Status, answer.Data, err
}

func (p *program) nameOf(t *testing.T, id string) string {
	t.Helper()
	status, data, err := p.send("GET", "/workspace/applications/"+id, "")
	if err != nil || status != "200 OK" {
		t.Fatalf("read %s: %s %v", id, status, err)
	}
	return text(data["name"])
}

// writeAndKill writes with eight writers, kills after killAfter answers, and adds
// what was answered.
func (p *program) writeAndKill(t *testing.T, round int, answered map[string]string) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	enough, before := make(chan struct{}), len(answered)
	for writer := range 8 {
		wg.Go(func() {
			for n := 0; ; n++ {
				name := fmt.Sprintf("round %d writer %d number %d", round, writer, n)
				status, data, err := p.send("POST", "/workspace/applications", fmt.Sprintf(`{"name":%q}`, name))
				if err != nil {
					return // killed
				}
				if status != "201 Created" {
					t.Errorf("got %s", status)
					return
				}
				mu.Lock()
				answered[text(data["id"])] = name
				if len(answered) == before+killAfter {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	<-enough
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	_ = p.cmd.Wait() // "signal: killed"
}
