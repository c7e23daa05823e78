package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/bus"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// Search says which records Newest looks for; a zero field wants all.
type Search struct {
	LinkID       string
	LinkIDs      []string  // of one of these links, where LinkID is empty
	Since, Until time.Time // of when the call was, both included
	Before       uint64    // a Page's Next; 0: from the newest record on
	Limit        int       // how many records at most
	// Want, where set, decides about each record. It must not keep it.
	Want func(*auditv1.Record) bool
}

// Found is a record and its place in the stream: a Search with Before set to it
// goes on after this record.
type Found struct {
	Record *auditv1.Record
	Place  uint64
}

// Page is what one Newest found, the newest first.
type Page struct {
	Records []Found
	// Next is where to go on for older records; 0: there are none. A page with few
	// records, or none, may have a Next: no call looks at more than maxLooked.
	Next uint64
}

const (
	// maxLooked bounds the messages that one Newest goes through, and so its time.
	maxLooked = 200_000
	// Windows are read forwards, since JetStream knows no other way, and gone through
	// backwards: small first, since the newest page is nearly always enough.
	firstWindow = 1_000
	lastWindow  = 32_000
)

// Reader reads the audit of all processes.
type Reader struct{ Bus *bus.Bus }

// Newest is the function of this name.
func (r Reader) Newest(ctx context.Context, s Search) (*Page, error) { return Newest(ctx, r.Bus, s) }

// Newest finds records from the newest to the oldest, in the order in which they
// arrived in the stream. It holds no more than a window's wanted records in memory.
func Newest(ctx context.Context, b *bus.Bus, s Search) (*Page, error) {
	page, err := s.find(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("search the audit: %w", err)
	}
	return page, nil
}

func (s Search) find(ctx context.Context, b *bus.Bus) (*Page, error) {
	stream, err := b.JS.Stream(ctx, bus.AuditStream)
	if err != nil {
		return nil, err
	}
	state := stream.CachedInfo().State
	high := state.LastSeq
	if s.Before > 0 {
		high = min(high, s.Before-1)
	}
	page, size, looked := &Page{}, uint64(firstWindow), uint64(0)
	for high >= state.FirstSeq && high > 0 {
		low := max(state.FirstSeq, high-min(size, high)+1)
		found, older, err := s.window(ctx, stream, span{low, high, s.Limit - len(page.Records)})
		if err != nil {
			return nil, err
		}
		for _, f := range slices.Backward(found) {
			page.Records = append(page.Records, f)
			page.Next = f.Place
		}
		if len(page.Records) >= s.Limit && page.Next > state.FirstSeq {
			return page, nil
		}
		if !older || low == state.FirstSeq {
			break
		}
		if looked += high - low + 1; looked >= maxLooked {
			page.Next = low
			return page, nil
		}
		high, size = low-1, min(2*size, lastWindow)
	}
	page.Next = 0
	return page, nil
}

// span is a part of the stream, and how many of its newest records are of use.
type span struct {
	low, high uint64
	most      int
}

// window gives the newest wanted records of a span, the oldest of them first. older
// is false when nothing before the span can be wanted any more.
func (s Search) window(ctx context.Context, stream jetstream.Stream, in span) (found []Found, older bool, err error) {
	cfg := jetstream.OrderedConsumerConfig{
		FilterSubjects: subjects(s.LinkIDs),
		DeliverPolicy:  jetstream.DeliverByStartSequencePolicy, OptStartSeq: in.low,
	}
	if s.LinkID != "" {
		cfg.FilterSubjects = []string{Subject(s.LinkID)}
	}
	consumer, err := stream.OrderedConsumer(ctx, cfg)
	if err != nil {
		return nil, false, err
	}
	older = true
	if consumer.CachedInfo().NumPending == 0 {
		return nil, older, nil
	}
	messages, err := consumer.Messages()
	if err != nil {
		return nil, false, err
	}
	defer messages.Stop()
	seen := map[place]bool{}
	for {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return nil, false, err
		}
		meta, err := msg.Metadata()
		if err != nil {
			return nil, false, err
		}
		if meta.Sequence.Stream > in.high {
			return found, older, nil
		}
		if meta.Timestamp.Before(s.Since) {
			older = false // what arrived before then was made before then
		} else if r := s.wanted(msg.Data(), seen); r != nil {
			found = append(found, Found{r, meta.Sequence.Stream})
			if len(found) > in.most {
				found[0] = Found{} // not to be held in memory
				found = found[1:]
			}
		}
		if meta.NumPending == 0 {
			return found, older, nil
		}
	}
}

// wanted decodes a record; nil for one that is not wanted or came before.
func (s Search) wanted(data []byte, seen map[place]bool) *auditv1.Record {
	r := &auditv1.Record{}
	if proto.Unmarshal(data, r) != nil {
		return nil // written by another version: not for us
	}
	at := r.GetAt().AsTime()
	if at.Before(s.Since) || !s.Until.IsZero() && at.After(s.Until) || s.Want != nil && !s.Want(r) {
		return nil
	}
	p := place{r.GetWriter(), r.GetSequence()}
	if seen[p] {
		return nil
	}
	seen[p] = true
	return r
}
