package audit

import (
	"context"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/bus"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// Filter says which records are wanted; a zero field wants all.
type Filter struct {
	LinkID string // "" for all links; Anonymous for records without one
	Since  time.Time
	// Want, where set, decides about each record.
	Want func(*auditv1.Record) bool
}

// Query ranges over the records that are in the stream now, in the order in which
// they arrived there. A record that was sent twice comes once. It ends with the
// first error.
func Query(ctx context.Context, b *bus.Bus, f Filter) iter.Seq2[*auditv1.Record, error] {
	return func(yield func(*auditv1.Record, error) bool) {
		s := Stretch{Since: f.Since, Want: f.Want}
		if f.LinkID != "" {
			s.LinkIDs = []string{f.LinkID}
		}
		for found, err := range Forward(ctx, b, s) {
			if !yield(found.Record, err) {
				return
			}
		}
	}
}

// place is where a record stands in its writer's chain.
type place struct {
	writer   string
	sequence uint64
}

// open begins to read; the result is nil where the stream holds nothing of the kind.
func open(ctx context.Context, b *bus.Bus, cfg jetstream.OrderedConsumerConfig) (jetstream.MessagesContext, error) {
	consumer, err := b.JS.OrderedConsumer(ctx, bus.AuditStream, cfg)
	if err != nil {
		return nil, err
	}
	if consumer.CachedInfo().NumPending == 0 {
		return nil, nil
	}
	return consumer.Messages()
}

// next gives one record, nil where the message is not wanted; more is false when
// this was the last message.
func next(ctx context.Context, messages jetstream.MessagesContext, want func(*auditv1.Record) bool, seen map[place]bool) (found Found, more bool, err error) {
	msg, err := messages.Next(jetstream.NextContext(ctx))
	if err != nil {
		return Found{}, false, err
	}
	meta, err := msg.Metadata()
	if err != nil {
		return Found{}, false, err
	}
	more = meta.NumPending > 0
	r := &auditv1.Record{}
	if err := proto.Unmarshal(msg.Data(), r); err != nil {
		return Found{}, more, nil // written by another version: not for us
	}
	at := place{r.GetWriter(), r.GetSequence()}
	if seen[at] {
		return Found{}, more, nil
	}
	seen[at] = true
	if want != nil && !want(r) {
		return Found{}, more, nil
	}
	return Found{r, meta.Sequence.Stream}, more, nil
}
