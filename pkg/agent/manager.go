package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// ErrClosed is the answer of a [Manager] after Close.
var ErrClosed = errors.New("the agent's connections are closed")

// ErrDisabled is why a call to a disabled server fails.
var ErrDisabled = errors.New("the server is disabled")

// Manager holds the connections of one agent.
type Manager struct {
	opts    *Options
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup // every goroutine of every server

	mu      sync.Mutex
	closed  bool
	servers map[string]*server
}

// New makes a Manager without servers. It does no I/O.
func New(opts Options) *Manager {
	m := &Manager{opts: opts.withDefaults(), servers: map[string]*server{}}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	return m
}

// Connect adds servers and connects all that are not disabled, at the same time.
// The error joins a [*ServerError] for each that is not there; the others work,
// and those that are not keep being tried as [Reconnect] says. A server whose
// configuration is wrong is not added. A name that is in use is replaced.
func (m *Manager) Connect(ctx context.Context, servers Servers) error {
	faults := servers.validate()
	var joining []*server
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if validate(name, servers[name]) != nil {
			continue
		}
		s, err := m.put(name, servers[name])
		if err != nil {
			faults = append(faults, &ServerError{Server: name, Err: err})
			continue
		}
		joining = append(joining, s)
	}
	results := make([]error, len(joining))
	var wg sync.WaitGroup
	for i, s := range joining {
		wg.Go(func() {
			if _, err := s.session(ctx); err != nil && !errors.Is(err, ErrDisabled) {
				results[i] = s.fault(err)
			}
		})
	}
	wg.Wait()
	return errors.Join(append(faults, results...)...)
}

// Replace puts a server's new configuration in place of the one it had, if any,
// and connects it. Calls to the old connection end with an error.
func (m *Manager) Replace(ctx context.Context, name string, cfg ServerConfig) error {
	return m.Connect(ctx, Servers{name: cfg})
}

// Enable connects a server that is disabled or has been given up.
func (m *Manager) Enable(ctx context.Context, name string) error {
	s, err := m.server(name)
	if err != nil {
		return err
	}
	s.enable()
	if _, err := s.session(ctx); err != nil {
		return s.fault(err)
	}
	return nil
}

// Disable ends a server's connection and hides its tools. Its configuration stays.
func (m *Manager) Disable(name string) error {
	s, err := m.server(name)
	if err != nil {
		return err
	}
	s.disable()
	return nil
}

// Close ends every connection and child process and waits for them, some seconds
// at most where a process does not leave by itself.
func (m *Manager) Close() error {
	m.mu.Lock()
	m.closed = true
	all := slices.Collect(maps.Values(m.servers))
	m.mu.Unlock()
	m.cancel()
	var wg sync.WaitGroup
	for _, s := range all {
		wg.Go(s.disable)
	}
	wg.Wait()
	m.running.Wait()
	return nil
}

// put adds a server, or replaces it after its old connection has ended.
func (m *Manager) put(name string, cfg ServerConfig) (*server, error) {
	d, err := cfg.Transport.dialer(name, m.opts)
	if err != nil {
		return nil, err
	}
	s := newServer(m, name, cfg, d)
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil, ErrClosed
	}
	old := m.servers[name]
	m.servers[name] = s
	m.mu.Unlock()
	if old != nil {
		old.disable()
	}
	return s, nil
}

func (m *Manager) server(name string) (*server, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	s, ok := m.servers[name]
	if !ok {
		return nil, fmt.Errorf("no server is called %q", name)
	}
	return s, nil
}

// sorted are the servers by name.
func (m *Manager) sorted() []*server {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.SortedFunc(maps.Values(m.servers), func(a, b *server) int { return cmp.Compare(a.name, b.name) })
}

// spawn runs work that Close waits for. After Close has begun it runs nothing.
func (m *Manager) spawn(work func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.running.Go(work)
	return true
}
