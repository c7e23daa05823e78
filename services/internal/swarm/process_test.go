package swarm

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is one binary that is started again whenever it ends, as an
// orchestrator would, until it is stopped.
type process struct {
	name  string
	path  string
	args  []string
	env   []string
	ready string // URL that answers 200 when the process can be used

	mu       sync.Mutex
	cmd      *exec.Cmd
	paused   bool // not to be started again until resume
	starts   int
	log      tail
	finished chan struct{}
	quit     chan struct{}
}

// run starts p and keeps it running until the test ends.
func run(t *testing.T, p *process) *process {
	t.Helper()
	p.finished, p.quit = make(chan struct{}), make(chan struct{})
	go p.supervise()
	t.Cleanup(func() {
		close(p.quit)
		p.signal(syscall.SIGKILL)
		<-p.finished
		if t.Failed() {
			t.Logf("the end of %s's log:\n%s", p.name, p.log.String())
		}
	})
	return p
}

func (p *process) supervise() {
	defer close(p.finished)
	for {
		select {
		case <-p.quit:
			return
		default:
		}
		if p.isPaused() {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		p.once()
		select {
		case <-p.quit:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// once runs the binary until it ends.
func (p *process) once() {
	cmd := exec.Command(p.path, p.args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, p.env...)
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.mu.Lock()
	if err := cmd.Start(); err != nil {
		p.mu.Unlock()
		fmt.Fprintf(&p.log, "start: %v\n", err)
		return
	}
	p.cmd, p.starts = cmd, p.starts+1
	p.mu.Unlock()
	err := cmd.Wait()
	fmt.Fprintf(&p.log, "-- ended: %v\n", err)
}

func (p *process) isPaused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.paused
}

func (p *process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(s)
	}
}

// kill is kill -9; the process comes back by itself.
func (p *process) kill() { p.signal(syscall.SIGKILL) }

// stop ends the process and keeps it down until resume.
func (p *process) stop() {
	p.mu.Lock()
	p.paused = true
	p.mu.Unlock()
	p.kill()
}

// resume lets a stopped process start again.
func (p *process) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = false
}

// times is how often the process was started.
func (p *process) times() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.starts
}

// awaitReady waits until the process says that it is ready.
func (p *process) awaitReady(t *testing.T) {
	t.Helper()
	eventually(t, 30*time.Second, p.name+" is ready", func() error {
		resp, err := http.Get(p.ready)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", resp.Status, body)
		}
		return nil
	})
}

// eventually waits until check succeeds; its last error is the test's.
func eventually(t *testing.T, limit time.Duration, what string, check func() error) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s: %v", limit, what, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

const tailSize = 64 << 10

func (b *tail) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Write(p)
	if extra := b.text.Len() - tailSize; extra > 0 {
		b.text.Next(extra)
	}
	return len(p), nil
}

func (b *tail) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := strings.Split(b.text.String(), "\n")
	return strings.Join(lines[max(0, len(lines)-60):], "\n")
}
