package embedded

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Cluster is several servers that keep each other's copies: Replicas 3 works on
// a cluster of three.
type Cluster struct {
	nodes  []*Server // nil where a node is stopped
	ports  []int     // of clients
	peers  []int     // of the other servers
	folder string
	lax    bool
}

// StartCluster runs size servers with data below dir and waits until they have
// chosen a leader. Lax is that of Options.
func StartCluster(dir string, size int, lax bool) (*Cluster, error) {
	c := &Cluster{nodes: make([]*Server, size), folder: dir, lax: lax}
	for range size {
		client, err1 := freePort()
		peer, err2 := freePort()
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("ports of the NATS cluster: %w", err)
		}
		c.ports, c.peers = append(c.ports, client), append(c.peers, peer)
	}
	for i := range size {
		if err := c.StartNode(i); err != nil {
			c.Stop()
			return nil, err
		}
	}
	if err := c.await(20 * time.Second); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// StartNode starts the i-th server, which finds its data again.
func (c *Cluster) StartNode(i int) error {
	o := Options{Dir: filepath.Join(c.folder, fmt.Sprint(i)), Port: c.ports[i], Lax: c.lax}
	node, err := start(o, func(s *server.Options) {
		s.ServerName = fmt.Sprintf("node-%d", i)
		s.Cluster = server.ClusterOpts{Name: "comporta", Host: "127.0.0.1", Port: c.peers[i]}
		for j, peer := range c.peers {
			if j != i {
				s.Routes = append(s.Routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", peer)})
			}
		}
	})
	if err != nil {
		return fmt.Errorf("node %d: %w", i, err)
	}
	c.nodes[i] = node
	return nil
}

// StopNode stops the i-th server; the others go on while they are a majority.
func (c *Cluster) StopNode(i int) {
	if c.nodes[i] != nil {
		c.nodes[i].Stop()
		c.nodes[i] = nil
	}
}

// URL names all servers.
func (c *Cluster) URL() string {
	urls := make([]string, len(c.ports))
	for i, port := range c.ports {
		urls[i] = fmt.Sprintf("nats://127.0.0.1:%d", port)
	}
	return strings.Join(urls, ",")
}

// Stop ends all servers.
func (c *Cluster) Stop() {
	for i := range c.nodes {
		c.StopNode(i)
	}
}

// await waits until one node leads JetStream's own records and all know it.
func (c *Cluster) await(limit time.Duration) error {
	deadline := time.Now().Add(limit)
	for time.Now().Before(deadline) {
		led, current := false, 0
		for _, node := range c.nodes {
			led = led || node.ns.JetStreamIsLeader()
			if node.ns.JetStreamIsCurrent() {
				current++
			}
		}
		if led && current == len(c.nodes) {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("the NATS cluster chose no leader within %s", limit)
}
