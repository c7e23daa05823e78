package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Resource is something a server lets the agent read.
type Resource struct {
	Server string
	*mcp.Resource
}

// Resources lists what the connected servers let the agent read. A server that
// cannot list is in the error; the others' resources are there all the same.
func (m *Manager) Resources(ctx context.Context) ([]Resource, error) {
	var all []Resource
	var faults []error
	for _, s := range m.sorted() {
		s.mu.Lock()
		live := s.live
		s.mu.Unlock()
		if live == nil {
			continue
		}
		listed, err := s.listResources(ctx, live)
		if err != nil {
			faults = append(faults, s.fault(fmt.Errorf("listing its resources: %w", err)))
		}
		for _, r := range listed {
			all = append(all, Resource{Server: s.name, Resource: r})
		}
	}
	return all, errors.Join(faults...)
}

func (s *server) listResources(ctx context.Context, live session) ([]*mcp.Resource, error) {
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	return live.resources(ctx)
}

// Read reads one resource of a server. Its contents are text or bytes.
func (m *Manager) Read(ctx context.Context, server, uri string) ([]*mcp.ResourceContents, error) {
	s, err := m.server(server)
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	live, err := s.session(ctx)
	if err != nil {
		return nil, s.fault(err)
	}
	contents, err := live.read(ctx, uri)
	if err != nil {
		return nil, s.fault(fmt.Errorf("reading %s: %w", uri, cause(ctx, err)))
	}
	return contents, nil
}

// bounded is ctx with the time that a call of this server may take.
func (s *server) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	var within time.Duration
	if within = s.cfg.CallTimeout; within == 0 {
		within = s.m.opts.CallTimeout
	}
	if within < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, within)
}
