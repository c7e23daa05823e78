// Command pods runs what a chart renders without a cluster: the very binaries,
// with the very files, arguments and variables, as processes. Each pod is a root
// folder that holds what its image and volumes hold, and a network namespace with an
// address of its own on one bridge; names of services stand in /etc/hosts, and a
// small relay stands for each service with an address. It probes, drains and restarts
// as Kubernetes does. It needs root, and Linux.
//
// What it does not do: images, NetworkPolicy, limits of resources, autoscaling.
//
//	helm template comporta charts/comporta -f values.yaml | pods -bin bin/images/linux-amd64 -- command
//
// The command runs when every pod is ready, and its end ends all. It finds in its
// environment PODS_CONTROL (POST /restart?name=comporta-auth restarts all its pods
// one by one, POST /kill?pod=comporta-auth-0 ends one at once and starts it again,
// GET /pods lists them), PODS_HOSTS (a file like /etc/hosts) and PODS_TARGETS (what
// Prometheus is to scrape).
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	binaries := flag.String("bin", "bin", "folder of the binaries, by the last part of the image's name")
	rendered := flag.String("f", "-", "file with the rendered objects; -: standard input")
	folder := flag.String("dir", "", "folder for roots and logs; empty: a new one, which goes at the end")
	replicas := flag.Int("replicas", 2, "pods of a deployment that says no number, since something scales it")
	patience := flag.Duration("patience", 2*time.Minute, "how long pods may take to become ready")
	public := map[string]string{}
	flag.Func("host", "a public host name and its service, as build-mcp.example.com=comporta-build; may be repeated", func(text string) error {
		name, service, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("%q is not name=service", text)
		}
		public[name] = service
		return nil
	})
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := &cluster{binaries: *binaries, folder: *folder, replicas: *replicas, patience: *patience, public: public}
	if err := run(ctx, c, *rendered, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "pods:", err)
		os.Exit(1)
	}
}

// run brings up what is rendered, runs the command, and takes all down again.
func run(ctx context.Context, c *cluster, rendered string, command []string) (err error) {
	text, err := read(rendered)
	if err != nil {
		return err
	}
	if c.objects, err = parse(text); err != nil {
		return err
	}
	if c.folder == "" {
		if c.folder, err = os.MkdirTemp("", "pods-"); err != nil {
			return err
		}
		defer os.RemoveAll(c.folder)
	}
	if c.net, err = newNetwork(); err != nil {
		return err
	}
	defer c.net.close()
	defer c.stop()
	if err := c.start(ctx); err != nil {
		return err
	}
	control, err := c.control()
	if err != nil {
		return err
	}
	defer control.Close()
	fmt.Fprintf(os.Stderr, "pods: %d pods are ready\n", len(c.list()))
	if len(command) == 0 {
		<-ctx.Done()
		return nil
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "PODS_CONTROL=http://"+control.Addr().String(), "PODS_HOSTS="+c.hostsFile(), "PODS_TARGETS="+c.targetsFile(), "PODS_DIR="+c.folder)
	return cmd.Run()
}

func read(name string) (string, error) {
	var text strings.Builder
	if name == "-" {
		_, err := io.Copy(&text, os.Stdin)
		return text.String(), err
	}
	content, err := os.ReadFile(name)
	return string(content), err
}
