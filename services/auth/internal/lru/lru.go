// Package lru is a bounded map that forgets what was not used for longest.
package lru

import "container/list"

// Map holds at most a fixed number of values. It is not safe for concurrent
// use: its owners hold their own lock, which guards more than the map.
type Map[K comparable, V any] struct {
	size  int
	order *list.List // of *item, the latest used in front
	items map[K]*list.Element
}

type item[K comparable, V any] struct {
	key   K
	value V
}

// New makes a map of at most size values; size is at least 1.
func New[K comparable, V any](size int) *Map[K, V] {
	return &Map[K, V]{size: max(size, 1), order: list.New(), items: map[K]*list.Element{}}
}

// Get gives a value and counts as a use of it.
func (m *Map[K, V]) Get(key K) (V, bool) {
	e, found := m.items[key]
	if !found {
		var none V
		return none, false
	}
	m.order.MoveToFront(e)
	return e.Value.(*item[K, V]).value, true
}

// Put sets a value, which counts as a use, and forgets the oldest one when full.
func (m *Map[K, V]) Put(key K, value V) {
	if e, found := m.items[key]; found {
		e.Value.(*item[K, V]).value = value
		m.order.MoveToFront(e)
		return
	}
	m.items[key] = m.order.PushFront(&item[K, V]{key: key, value: value})
	if m.order.Len() > m.size {
		m.Delete(m.order.Back().Value.(*item[K, V]).key)
	}
}

// Delete forgets a value.
func (m *Map[K, V]) Delete(key K) {
	if e, found := m.items[key]; found {
		m.order.Remove(e)
		delete(m.items, key)
	}
}

// Clear forgets everything.
func (m *Map[K, V]) Clear() {
	m.order.Init()
	clear(m.items)
}

// Len is how many values there are.
func (m *Map[K, V]) Len() int { return m.order.Len() }
