package main

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// nobody is whom pods run as.
const nobody = 65532

// pod is one process with its root and address.
type pod struct {
	name     string
	workload object
	address  string
	root     string
	space    string
	log      string
	cmd      *exec.Cmd
	gone     chan struct{}
	ready    atomic.Bool // takes part in its services
	fell     atomic.Bool // ended without being asked
	asked    atomic.Bool
}

func (p *pod) at(port int) string { return net.JoinHostPort(p.address, strconv.Itoa(port)) }

func (p *pod) container() container { return p.workload.Spec.Template.Spec.Containers[0] }

// furnish makes the root folder: the binary, the volumes' files, empty folders.
func (p *pod) furnish(all *objects, binaries string) error {
	c := p.container()
	name, _, _ := strings.Cut(path.Base(c.Image), ":")
	if name == "nats" {
		name = "nats-server"
	}
	program, err := os.ReadFile(filepath.Join(binaries, name))
	if err != nil {
		return err
	}
	for _, folder := range []string{"etc", "tmp", "proc"} {
		if err := os.MkdirAll(filepath.Join(p.root, folder), 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(p.root, "program"), program, 0o755); err != nil {
		return err
	}
	for _, mount := range c.VolumeMounts {
		content := map[string]string(nil)
		for _, v := range p.workload.Spec.Template.Spec.Volumes {
			if v.Name == mount.Name {
				if content, err = all.content(v); err != nil {
					return err
				}
			}
		}
		if err := p.mount(mount.MountPath, mount.SubPath, content); err != nil {
			return err
		}
	}
	return nil
}

// mount lays a volume's files into the root, or a folder for data, which a restart finds again.
func (p *pod) mount(at, sub string, content map[string]string) error {
	at = filepath.Join(p.root, at)
	if sub != "" {
		content = map[string]string{filepath.Base(at): content[sub]}
		at = filepath.Dir(at)
	}
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	if content == nil {
		return os.Chown(at, nobody, nobody)
	}
	for name, text := range content {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), fs.FileMode(0o440)); err != nil {
			return err
		}
		if err := os.Chown(filepath.Join(at, name), 0, nobody); err != nil {
			return err
		}
	}
	return nil
}

func (p *pod) start() error {
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	c := p.container()
	// ip netns exec has a mount namespace of its own, which takes /proc with it at the end.
	args := []string{"netns", "exec", p.space, "sh", "-c", `mount -t proc proc "$0/proc" && exec chroot --userspec=65532:65532 "$0" /program "$@"`, p.root}
	p.cmd = exec.Command("ip", append(args, c.Args...)...)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOSTNAME=" + p.name}
	for _, e := range c.Env {
		value := e.Value
		if e.ValueFrom.FieldRef.FieldPath == "metadata.name" {
			value = p.name
		}
		p.cmd.Env = append(p.cmd.Env, e.Name+"="+value)
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p.asked.Store(false)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	gone := make(chan struct{})
	p.gone = gone
	go func() {
		_ = p.cmd.Wait()
		p.ready.Store(false)
		p.fell.Store(!p.asked.Load())
		close(gone)
	}()
	return nil
}

// awaitReady probes as the kubelet does.
func (p *pod) awaitReady(ctx context.Context) error {
	for {
		if p.probed() {
			p.ready.Store(true)
			return nil
		}
		select {
		case <-p.gone:
			return fmt.Errorf("%s ended; its log is %s", p.name, p.log)
		case <-ctx.Done():
			return fmt.Errorf("%s did not become ready; its log is %s", p.name, p.log)
		case <-time.After(250 * time.Millisecond):
		}
	}
}

func (p *pod) probed() bool {
	c := p.container()
	client := &http.Client{Timeout: 3 * time.Second}
	switch probe := c.ReadinessProbe; {
	case probe.HTTPGet != nil:
		response, err := client.Get("http://" + p.at(c.port(probe.HTTPGet.Port)) + probe.HTTPGet.Path)
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode < 400
	case probe.TCPSocket != nil:
		conn, err := net.DialTimeout("tcp", p.at(c.port(probe.TCPSocket.Port)), 3*time.Second)
		if err != nil {
			return false
		}
		conn.Close()
	}
	return true
}

// end asks the process to end and waits its grace out.
func (p *pod) end() {
	p.asked.Store(true)
	grace := time.Duration(max(p.workload.Spec.Template.Spec.Grace, 30)) * time.Second
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
	select {
	case <-p.gone:
	case <-time.After(grace):
		p.kill()
	}
}

func (p *pod) kill() {
	p.asked.Store(true)
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.gone
}
