package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// network is one bridge with a namespace for each pod.
type network struct {
	bridge string
	prefix string // of all names
	mu     sync.Mutex
	next   int
	spaces []string
}

const (
	ourAddress = "10.77.0.1"
	mask       = "/16"
)

func newNetwork() (*network, error) {
	n := &network{prefix: fmt.Sprintf("pd%d", os.Getpid()%100_000), next: 10}
	n.bridge = n.prefix + "b"
	err := ip(
		"link add "+n.bridge+" type bridge",
		"addr add "+ourAddress+mask+" dev "+n.bridge,
		"link set "+n.bridge+" up",
	)
	return n, err
}

// address gives the next free one.
func (n *network) address() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next++
	return fmt.Sprintf("10.77.%d.%d", n.next/250, n.next%250+1)
}

// alias makes an address one of this machine, for a relay.
func (n *network) alias(address string) error {
	return ip("addr add " + address + mask + " dev " + n.bridge)
}

// space makes a namespace with an address on the bridge, and gives its name.
func (n *network) space(address string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	name := fmt.Sprintf("%s-%d", n.prefix, len(n.spaces))
	n.spaces = append(n.spaces, name)
	outer, inner := fmt.Sprintf("%so%d", n.prefix, len(n.spaces)), fmt.Sprintf("%si%d", n.prefix, len(n.spaces))
	err := ip(
		"netns add "+name,
		"link add "+outer+" type veth peer name "+inner,
		"link set "+inner+" netns "+name,
		"link set "+outer+" master "+n.bridge,
		"link set "+outer+" up",
		"-n "+name+" addr add "+address+mask+" dev "+inner,
		"-n "+name+" link set "+inner+" up",
		"-n "+name+" link set lo up",
	)
	return name, err
}

func (n *network) close() {
	_ = ip("link del " + n.bridge) // what is left of it harms nobody
	for _, name := range n.spaces {
		_ = ip("netns del " + name)
	}
}

func ip(commands ...string) error {
	for _, command := range commands {
		if out, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", command, err, out)
		}
	}
	return nil
}
