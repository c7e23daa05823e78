package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/comporta-mcp/comporta/services/docs/internal/yardstick"
)

// child is a Comporta of our own, in a folder that is removed after it.
type child struct {
	cmd   *exec.Cmd
	home  string
	ready ready
}

// patience is how long a start may take.
const patience = 2 * time.Minute

func start(ctx context.Context, o options) (_ *child, err error) {
	home, err := os.MkdirTemp("", "relevance")
	if err != nil {
		return nil, err
	}
	c := &child{home: home}
	defer func() {
		if err != nil {
			c.stop()
		}
	}()
	configured, err := yaml.Marshal(yardstick.Config(o.corpus))
	if err != nil {
		return nil, err
	}
	corpora := filepath.Join(home, "corpora.yaml")
	if err := os.WriteFile(corpora, configured, 0o600); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(o.out, "comporta.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close() // the child has its own
	c.cmd = exec.CommandContext(ctx, o.comporta)
	c.cmd.Stdout, c.cmd.Stderr = log, log
	c.cmd.Cancel = func() error { return c.cmd.Process.Signal(syscall.SIGTERM) }
	c.cmd.Env = append(os.Environ(), "COMPORTA_HOME="+home, "COMPORTA_PORT_BASE="+strconv.Itoa(o.port),
		"COMPORTA_SEARCH_CORPORA="+corpora, "COMPORTA_SEARCH_REFRESH=0s")
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", o.comporta, err)
	}
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(50 * time.Millisecond) {
		if c.ready, err = readReady(home); err == nil {
			return c, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s was not ready in time; see %s", o.comporta, log.Name())
}

func (c *child) stop() {
	if c.cmd != nil && c.cmd.Process != nil {
		_ = c.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
		_ = c.cmd.Wait()
	}
	os.RemoveAll(c.home)
}

// memory is what the whole program holds, where the system tells.
func (c *child) memory() string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return "memory unknown on this system"
	}
	var told []string
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "VmRSS:") || strings.HasPrefix(line, "VmHWM:") {
			told = append(told, strings.Join(strings.Fields(line), " "))
		}
	}
	return "all of Comporta in one process: " + strings.Join(told, ", ")
}
