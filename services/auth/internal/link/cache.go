package link

import (
	"sync"
	"time"

	"github.com/comporta-mcp/comporta/services/auth/internal/lru"
)

// cache is this replica's copies of records. A copy is kept only while a watch
// is live that will bring every later change of it, and is given away only
// while the watch is proven not to be late.
type cache struct {
	now     func() time.Time
	maxLate time.Duration

	mu     sync.Mutex
	copies *lru.Map[string, versioned]
	loads  map[string]*load
	// session counts the watches. A record whose reading began under an older
	// one is not kept: changes between the two were seen by neither.
	session int
	live    bool      // the present watch has brought something
	proven  time.Time // everything written before was brought; zero: nothing is proven
}

// load is the reading of one record under way. done is closed after it.
type load struct {
	session int
	newer   versioned // what the watch brought meanwhile
	done    chan struct{}

	result versioned
	err    error
}

func newCache(size int, maxLate time.Duration, now func() time.Time) *cache {
	return &cache{now: now, maxLate: maxLate, copies: lru.New[string, versioned](size), loads: map[string]*load{}}
}

// begin starts a session: a watch was opened and sees what is written from now on.
func (c *cache) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session++
	c.live = false
	c.proven = time.Time{}
	c.copies.Clear()
}

// proof is that everything written before at was brought.
func (c *cache) proof(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live = true
	if at.After(c.proven) {
		c.proven = at
	}
}

// late is how long ago the watch was last proven to be complete.
func (c *cache) late() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lateLocked()
}

func (c *cache) lateLocked() time.Duration {
	if c.proven.IsZero() {
		return forever
	}
	return c.now().Sub(c.proven)
}

const forever = time.Duration(1<<63 - 1)

// get gives a copy that is sure to be less than maxLate old.
func (c *cache) get(id string) (versioned, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lateLocked() > c.maxLate {
		return versioned{}, false
	}
	return c.copies.Get(id)
}

// held gives a copy of whatever age, to compare with.
func (c *cache) held(id string) (versioned, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.copies.Get(id)
}

// apply takes a record that the watch brought or that this replica wrote.
func (c *cache) apply(id string, v versioned) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.loads[id]; l != nil && v.revision > l.newer.revision {
		l.newer = v
	}
	held, found := c.copies.Get(id)
	switch {
	case !found || v.revision <= held.revision:
	case v.record == nil:
		c.copies.Delete(id)
	default:
		c.copies.Put(id, v)
	}
}

// join gives the reading of a record that is under way, or begins one; mine
// tells the caller to read and call finish.
func (c *cache) join(id string) (l *load, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.loads[id]; l != nil {
		return l, false
	}
	l = &load{session: c.session, done: make(chan struct{})}
	c.loads[id] = l
	return l, true
}

// finish ends a reading and keeps what was read, or what the watch brought since.
func (c *cache) finish(id string, l *load, read versioned, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.loads, id)
	if err == nil && l.newer.revision > read.revision {
		read = l.newer
	}
	l.result, l.err = read, err
	if err == nil && read.record != nil && c.live && l.session == c.session {
		c.copies.Put(id, read)
	}
	close(l.done)
}
