package lru

import "testing"

func TestTheValueThatWasNotUsedForLongestIsForgotten(t *testing.T) {
	m := New[string, int](2)
	m.Put("a", 1)
	m.Put("b", 2)
	m.Get("a")
	m.Put("c", 3)
	wantKeys(t, m, map[string]int{"a": 1, "c": 3}, "b")
	m.Put("a", 4) // a change is a use
	m.Put("d", 5)
	wantKeys(t, m, map[string]int{"a": 4, "d": 5}, "c")
	m.Delete("a")
	m.Delete("never there")
	wantKeys(t, m, map[string]int{"d": 5}, "a")
	m.Clear()
	wantKeys(t, m, nil, "d")
	m.Put("e", 6)
	wantKeys(t, m, map[string]int{"e": 6}, "d")
}

func TestAMapHoldsAtLeastOneValue(t *testing.T) {
	m := New[int, int](0)
	m.Put(1, 1)
	if _, found := m.Get(1); !found {
		t.Error("it holds nothing")
	}
}

func wantKeys(t *testing.T, m *Map[string, int], want map[string]int, gone string) {
	t.Helper()
	if m.Len() != len(want) {
		t.Errorf("it holds %d values, want %d", m.Len(), len(want))
	}
	for key, value := range want {
		if got, found := m.Get(key); !found || got != value {
			t.Errorf("%s is %d, %v; want %d", key, got, found, value)
		}
	}
	if _, found := m.Get(gone); found {
		t.Errorf("%s is still there", gone)
	}
}
