package agent

import "sync"

// Progress is how far a call is. Total is 0 where the server does not know it.
type Progress struct {
	Done, Total float64
	Text        string
}

// listener hands progress to one call's callback until the call ends.
type listener struct {
	tell func(Progress)

	mu      sync.Mutex
	ended   bool
	running sync.WaitGroup
}

// hear is called as progress comes. No lock is held while the callback runs: it
// may use the Manager.
func (l *listener) hear(p Progress) {
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		return
	}
	l.running.Add(1)
	l.mu.Unlock()
	defer l.running.Done()
	l.tell(p)
}

// end makes later progress unheard, and waits for the callback.
func (l *listener) end() {
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.running.Wait()
}
