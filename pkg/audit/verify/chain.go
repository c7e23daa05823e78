package verify

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

const (
	// reorder is how many records may arrive before one that was written earlier:
	// writers send 256 at a time, and each write that runs sends one of its own.
	reorder = 16_384
	// remembered is for how many records of a writer it is known whether a later copy
	// is the same: more than a full spool holds.
	remembered = 128 * 1024
	// Grace is how long a record may stand beyond its writer's head, which follows
	// within audit.AnchorEvery, and how long one that others overtook may be on its way.
	Grace = time.Minute
	// slack is how far clocks may be apart where the age of records is judged.
	slack = time.Hour
)

// link is one record in its chain.
type link struct {
	sequence uint64
	previous []byte
	hash     [32]byte
	place    uint64
	at       time.Time // of arrival
	call     string
}

// chain follows one writer's records in the order of their sequence.
type chain struct {
	writer     string
	head, kept *auditv1.Head // nil: there is none
	retention  time.Duration
	began      time.Time // of the verification: nothing later is judged
	fault      func(Finding)
	doubt      func(Finding)
	trim       func(uint64)

	ahead map[uint64]link // arrived before their turn
	last  link            // the newest that had its turn; zero: none had
	known bool            // last is known, so that the next one must name it
	seen  []sum           // of the records up to last, the newest at the end
}

// sum is enough of a hash to know the same record again.
type sum [16]byte

func (c *chain) add(l link) {
	if l.sequence <= c.last.sequence {
		c.again(l)
		return
	}
	if earlier, twice := c.ahead[l.sequence]; twice {
		if earlier.hash != l.hash {
			c.two(l)
		}
		return
	}
	c.ahead[l.sequence] = l
	c.settle()
	if len(c.ahead) > reorder {
		c.skip()
		c.settle()
	}
}

// again judges a record whose place is taken. The same bytes once more are no
// fault: a writer sends again what was not acknowledged.
func (c *chain) again(l link) {
	back := c.last.sequence - l.sequence
	if back < uint64(len(c.seen)) && c.seen[uint64(len(c.seen))-1-back] == sum(l.hash[:16]) {
		return
	}
	c.two(l)
}

func (c *chain) two(l link) {
	c.fault(c.at(l, "another record stands in this place: one of them was inserted."))
}

// settle takes the records whose turn it is.
func (c *chain) settle() {
	for {
		l, here := c.ahead[c.last.sequence+1]
		if !here || c.last.sequence == 0 && l.sequence != 1 {
			return
		}
		delete(c.ahead, l.sequence)
		c.take(l)
	}
}

// take gives a record its turn.
func (c *chain) take(l link) {
	switch {
	case l.sequence == 1 && len(l.previous) > 0:
		c.fault(c.at(l, "it names a record before it, though it is the first."))
	case c.known && !bytes.Equal(l.previous, c.last.hash[:]):
		c.fault(c.at(c.last, fmt.Sprintf("it was changed, or record %d was: that one names another hash.", l.sequence)))
	}
	for _, anchor := range []struct {
		head *auditv1.Head
		name string
	}{{c.head, "the head of its chain"}, {c.kept, "the head that was kept"}} {
		if anchor.head.GetSequence() == l.sequence && !bytes.Equal(anchor.head.GetHash(), l.hash[:]) {
			c.fault(c.at(l, "it was changed, or all up to it were: "+anchor.name+" has another hash."))
		}
	}
	c.last, c.known = l, true
	if len(c.seen) >= 2*remembered {
		c.seen = append([]sum(nil), c.seen[remembered:]...)
	}
	c.seen = append(c.seen, sum(l.hash[:16]))
}

// skip goes on behind a gap.
func (c *chain) skip() {
	beyond := c.ahead[slices.Min(slices.Collect(maps.Keys(c.ahead)))]
	c.gap(c.last.sequence+1, beyond.sequence-1, &beyond)
	c.last, c.known, c.seen = link{sequence: beyond.sequence - 1}, false, nil
}

// gap judges the records from first to last that are not there. beyond is the one
// after them, nil at the end of the chain.
func (c *chain) gap(first, last uint64, beyond *link) {
	if last < first {
		return
	}
	if c.mayBeTrimmed(last) {
		c.trim(last - first + 1)
		return
	}
	f := Finding{Writer: c.writer, Sequence: first, What: "it is missing."}
	if n := last - first + 1; n > 1 {
		f.What = fmt.Sprintf("it and the %d after it are missing.", n-1)
	}
	if beyond == nil {
		f.What += " The chain was longer: its end was cut off."
	} else {
		f.Place, f.At = beyond.place, beyond.at
		f.What += fmt.Sprintf(" Record %d stands there.", beyond.sequence)
		if first > c.head.GetSequence() && c.began.Sub(beyond.at) < Grace {
			f.What = "it is on its way, or missing. Verify again in a minute."
			c.doubt(f)
			return
		}
	}
	c.fault(f)
}

// mayBeTrimmed reports whether a record is old enough for its absence.
func (c *chain) mayBeTrimmed(sequence uint64) bool {
	old := func(at time.Time) bool { return c.began.Sub(at) >= c.retention-slack }
	for _, mark := range slices.Backward(c.head.GetMarks()) {
		if mark.GetSequence() < sequence {
			return old(mark.GetAt().AsTime())
		}
	}
	switch {
	case c.head == nil && sequence <= c.kept.GetSequence():
		return old(c.kept.GetAt().AsTime())
	default: // from before the first mark there is
		return len(c.head.GetMarks()) > 0
	}
}

// end judges what is left once all was read.
func (c *chain) end() {
	for len(c.ahead) > 0 {
		c.skip()
		c.settle()
	}
	anchored := max(c.head.GetSequence(), c.kept.GetSequence())
	c.gap(c.last.sequence+1, anchored, nil)
	keptOld := c.kept != nil && c.mayBeTrimmed(c.kept.GetSequence())
	switch {
	case c.kept != nil && c.head.GetSequence() < c.kept.GetSequence() && !keptOld:
		c.fault(Finding{Writer: c.writer, What: "the head of its chain was set back or taken away since it was kept."})
	case c.head == nil && c.last.sequence > 0 && c.began.Sub(c.last.at) > Grace:
		c.fault(Finding{Writer: c.writer, What: "its chain has no head, so that its end may have been cut off."})
	case c.last.sequence > anchored && c.began.Sub(c.last.at) > Grace:
		c.doubt(c.at(c.last, fmt.Sprintf(
			"the last %d records stand beyond the head of their chain. A writer that was killed leaves some; so does who adds one.",
			c.last.sequence-anchored)))
	}
}

func (c *chain) at(l link, what string) Finding {
	return Finding{Writer: c.writer, Sequence: l.sequence, Place: l.place, At: l.at, Call: l.call, What: what}
}
