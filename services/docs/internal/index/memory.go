package index

import "sync"

// memory remembers what was found out about words of questions, since they come
// again. It keeps the first few thousand: questions may have any words.
type memory[K comparable, V any] struct {
	known map[K]V
	mu    sync.RWMutex
}

// maxRemembered bounds a memory.
const maxRemembered = 4096

// of gives what is remembered of key, or finds it out.
func (m *memory[K, V]) of(key K, find func() V) V {
	m.mu.RLock()
	v, ok := m.known[key]
	m.mu.RUnlock()
	if ok {
		return v
	}
	v = find()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[K]V{}
	}
	if len(m.known) < maxRemembered {
		m.known[key] = v
	}
	return v
}
