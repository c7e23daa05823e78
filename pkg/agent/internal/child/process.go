package child

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// How long a child may take to leave: after its stdin is closed, after SIGTERM,
// and its pipes after it is gone (a grandchild outside its group may hold them).
const (
	leaveOnEOF  = 2 * time.Second
	leaveOnTerm = time.Second
	drain       = time.Second
)

// Command says what to start. Env is the whole environment (see Environment).
type Command struct {
	Name string
	Args []string
	Env  []string
	Dir  string // empty: the parent's
}

// process is a started child. Its group is killed whenever the child itself is
// gone, so that what it started does not outlive it.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr ring
	gone   chan struct{} // closed when the child is reaped and its pipes are read to the end
	exit   error         // of cmd.Wait, valid after gone
	stop   sync.Once
}

func start(c Command) (*process, error) {
	path, err := lookup(c.Name, c.Dir, c.Env)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(path, c.Args...), gone: make(chan struct{})}
	p.cmd.Env, p.cmd.Dir = c.Env, c.Dir
	ownGroup(p.cmd)

	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = pipes.in.read, pipes.out.write, pipes.err.write
	p.stdin, p.stdout = pipes.in.write, pipes.out.read

	started := make(chan error)
	go p.run(pipes, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Name, err)
	}
	return p, nil
}

// run starts the child, waits for its end and cleans up. One goroutine, bound to
// its thread, does both: Linux ends the child when the thread that started it ends.
func (p *process) run(pipes *pipes, started chan<- error) {
	unbind := bindThread()
	err := p.cmd.Start()
	pipes.closeChildEnds()
	started <- err
	if err != nil {
		unbind()
		pipes.closeParentEnds()
		return
	}
	read := make(chan struct{})
	go func() { defer close(read); p.stderr.fill(pipes.err.read) }()

	p.exit = p.cmd.Wait()
	unbind()
	killGroup(p.cmd.Process)
	_ = pipes.err.read.SetReadDeadline(time.Now().Add(drain))
	_ = pipes.out.read.SetReadDeadline(time.Now().Add(drain))
	<-read
	_ = pipes.err.read.Close()
	close(p.gone)
}

// end asks the child to leave, then makes it. It returns when the child is reaped.
func (p *process) end() {
	p.stop.Do(func() {
		_ = p.stdin.Close()
		if p.left(leaveOnEOF) {
			return
		}
		terminateGroup(p.cmd.Process)
		if p.left(leaveOnTerm) {
			return
		}
		killGroup(p.cmd.Process)
		_ = p.cmd.Process.Kill()
	})
	<-p.gone
	_ = p.stdout.Close()
}

func (p *process) left(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-p.gone:
		return true
	case <-timer.C:
		return false
	}
}

// why tells how the child ended, with its last words.
func (p *process) why() error {
	<-p.gone
	end := "exit status 0"
	if p.exit != nil {
		end = p.exit.Error()
	}
	if lines := p.stderr.last(); len(lines) > 0 {
		return fmt.Errorf("the process ended (%s): %s", end, strings.Join(lines[max(0, len(lines)-3):], " | "))
	}
	return fmt.Errorf("the process ended (%s) and wrote nothing to stderr", end)
}
