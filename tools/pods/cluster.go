package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// cluster is all pods and what they know of each other.
type cluster struct {
	objects          *objects
	binaries, folder string
	net              *network
	replicas         int
	patience         time.Duration
	public           map[string]string // services by the host names that clients use

	mu     sync.Mutex
	pods   []*pod
	count  map[string]int // pods that a workload ever had
	relays map[string]string
}

func (c *cluster) list() []*pod {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.pods)
}

// start brings everything up at once, as Kubernetes does, and waits until all is ready.
func (c *cluster) start(ctx context.Context) error {
	c.count, c.relays = map[string]int{}, map[string]string{}
	if err := c.relay(); err != nil {
		return err
	}
	for _, workload := range c.objects.workloads {
		replicas := c.replicas
		if workload.Spec.Replicas != nil {
			replicas = *workload.Spec.Replicas
		}
		for range replicas {
			if _, err := c.add(workload); err != nil {
				return fmt.Errorf("%s: %w", workload.Metadata.Name, err)
			}
		}
	}
	if err := c.tell(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	var waiting sync.WaitGroup
	errs := make(chan error, len(c.list()))
	for _, p := range c.list() {
		if err := p.start(); err != nil {
			return err
		}
		waiting.Go(func() {
			if err := p.awaitReady(ctx); err != nil {
				errs <- err
			}
		})
	}
	waiting.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(append(all, c.tell())...)
}

// add makes one more pod of a workload, which does not run yet.
func (c *cluster) add(workload object) (*pod, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := fmt.Sprintf("%s-%d", workload.Metadata.Name, c.count[workload.Metadata.Name])
	c.count[workload.Metadata.Name]++
	p := &pod{name: name, workload: workload, address: c.net.address(), root: filepath.Join(c.folder, name), log: filepath.Join(c.folder, name+".log")}
	if err := p.furnish(c.objects, c.binaries); err != nil {
		return nil, err
	}
	var err error
	if p.space, err = c.net.space(p.address); err != nil {
		return nil, err
	}
	c.pods = append(c.pods, p)
	return p, nil
}

// restart gives every pod of a workload a successor, one by one: a deployment's is
// ready before the old one goes, a stateful set's takes its place.
func (c *cluster) restart(ctx context.Context, workload string) error {
	for _, old := range c.list() {
		if old.workload.Metadata.Name != workload {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, c.patience)
		defer cancel()
		if old.workload.Kind == "StatefulSet" {
			if err := c.again(ctx, old, (*pod).end); err != nil {
				return err
			}
			continue
		}
		next, err := c.add(old.workload)
		if err != nil {
			return err
		}
		if err := errors.Join(c.tell(), next.start()); err != nil {
			return err
		}
		if err := next.awaitReady(ctx); err != nil {
			return err
		}
		old.ready.Store(false)
		if err := c.tell(); err != nil {
			return err
		}
		time.Sleep(time.Duration(old.container().Lifecycle.PreStop.Sleep.Seconds) * time.Second)
		old.end()
		c.mu.Lock()
		c.pods = slices.DeleteFunc(c.pods, func(p *pod) bool { return p == old })
		c.mu.Unlock()
		if err := c.tell(); err != nil {
			return err
		}
	}
	return nil
}

// again ends a pod in some way and starts it on its data.
func (c *cluster) again(ctx context.Context, p *pod, end func(*pod)) error {
	end(p)
	if err := c.tell(); err != nil {
		return err
	}
	if err := p.furnish(c.objects, c.binaries); err != nil {
		return err
	}
	if err := errors.Join(c.tell(), p.start()); err != nil {
		return err
	}
	return errors.Join(p.awaitReady(ctx), c.tell())
}

func (c *cluster) stop() {
	pods := c.list()
	slices.Reverse(pods) // NATS last
	var ending sync.WaitGroup
	for _, p := range pods {
		if p.cmd != nil && p.cmd.Process != nil {
			ending.Go(p.kill)
		}
	}
	ending.Wait()
}

func (c *cluster) hostsFile() string   { return filepath.Join(c.folder, "hosts") }
func (c *cluster) targetsFile() string { return filepath.Join(c.folder, "targets.json") }

// tell writes who is where into every root, and for the command.
func (c *cluster) tell() error {
	pods := c.list()
	lines := []string{"127.0.0.1 localhost"}
	type target struct {
		Targets []string          `json:"targets"`
		Labels  map[string]string `json:"labels"`
	}
	targets := []target{}
	for _, p := range pods {
		if p.workload.Spec.ServiceName != "" {
			lines = append(lines, p.address+" "+p.name+"."+p.workload.Spec.ServiceName)
		}
		if port := p.container().port("admin"); port != 0 {
			component := p.workload.Metadata.Labels["app.kubernetes.io/component"]
			targets = append(targets, target{[]string{p.at(port)}, map[string]string{"component": component}})
		}
	}
	for name, service := range c.public {
		lines = append(lines, c.relays[service]+" "+name)
	}
	for _, s := range c.objects.services {
		if s.Spec.ClusterIP != "None" {
			lines = append(lines, c.relays[s.Metadata.Name]+" "+s.Metadata.Name)
			continue
		}
		for _, p := range c.behind(s, true) {
			lines = append(lines, p.address+" "+s.Metadata.Name)
		}
	}
	text := []byte(strings.Join(lines, "\n") + "\n")
	told, err := json.Marshal(targets)
	errs := []error{err, write(c.hostsFile(), text), write(c.targetsFile(), told)}
	for _, p := range pods {
		errs = append(errs, write(filepath.Join(p.root, "etc", "hosts"), text))
	}
	return errors.Join(errs...)
}

// write puts a file in the place of the one before it: who reads meanwhile gets
// either of them whole.
func write(path string, text []byte) error {
	next := path + ".next"
	if err := os.WriteFile(next, text, 0o644); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// behind gives the pods that a service chooses.
func (c *cluster) behind(s object, early bool) (chosen []*pod) {
	for _, p := range c.list() {
		fits := len(s.Spec.Selector) > 0
		for key, want := range s.Spec.Selector {
			fits = fits && p.workload.Spec.Template.Metadata.Labels[key] == want
		}
		if fits && (p.ready.Load() || early && p.cmd == nil) {
			chosen = append(chosen, p)
		}
	}
	return chosen
}
