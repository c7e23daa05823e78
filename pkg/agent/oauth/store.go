package oauth

import (
	"context"
	"sync"
)

// Store keeps one record per server. A record holds credentials: what keeps it is
// as careful as with passwords.
type Store interface {
	// Load gives a server's record; nil where there is none.
	Load(ctx context.Context, server string) ([]byte, error)

	// Update changes a server's record: change gets the old one and gives the new,
	// or nil to leave it. No other Update of the server's record runs meanwhile, in
	// any process that shares the store.
	Update(ctx context.Context, server string, change func(old []byte) ([]byte, error)) error
}

// memory is a Store that ends with the process.
type memory struct {
	mu      sync.Mutex
	records map[string][]byte
}

func (m *memory) Load(_ context.Context, server string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.records[server], nil
}

func (m *memory) Update(_ context.Context, server string, change func([]byte) ([]byte, error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, err := change(m.records[server])
	if err != nil || data == nil {
		return err
	}
	if m.records == nil {
		m.records = map[string][]byte{}
	}
	m.records[server] = data
	return nil
}
