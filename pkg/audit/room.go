package audit

import "sync"

// recordRoom is what is set aside for one record: 4 KiB of arguments and what
// stands around them, all names at their longest.
const recordRoom = 8 << 10

// room sets space aside before a call runs, so that the record of its end always
// has a place.
type room struct {
	size func() int64 // of the spool now
	max  int64

	mu       sync.Mutex
	reserved int64
}

// take sets space for n records aside; false when there is none.
func (r *room) take(n int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size()+r.reserved+n*recordRoom > r.max {
		return false
	}
	r.reserved += n * recordRoom
	return true
}

func (r *room) give(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reserved -= n * recordRoom
}

func (r *room) free(n int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.size()+r.reserved+n*recordRoom <= r.max
}
