package audit

import (
	"context"
	"fmt"
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
		messages, err := read(ctx, b, f)
		if err != nil {
			yield(nil, fmt.Errorf("read the audit: %w", err))
			return
		}
		if messages == nil {
			return
		}
		defer messages.Stop()
		seen := map[place]bool{}
		for {
			r, more, err := next(ctx, messages, f, seen)
			switch {
			case err != nil:
				yield(nil, fmt.Errorf("read the audit: %w", err))
				return
			case r != nil && !yield(r, nil):
				return
			case !more:
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

// read begins to read; the result is nil where the stream holds nothing of the kind.
func read(ctx context.Context, b *bus.Bus, f Filter) (jetstream.MessagesContext, error) {
	cfg := jetstream.OrderedConsumerConfig{FilterSubjects: []string{bus.AuditSubject + ".>"}, DeliverPolicy: jetstream.DeliverAllPolicy}
	if f.LinkID != "" {
		cfg.FilterSubjects = []string{bus.AuditSubject + "." + subjectToken(f.LinkID)}
	}
	if !f.Since.IsZero() {
		cfg.DeliverPolicy, cfg.OptStartTime = jetstream.DeliverByStartTimePolicy, &f.Since
	}
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
func next(ctx context.Context, messages jetstream.MessagesContext, f Filter, seen map[place]bool) (r *auditv1.Record, more bool, err error) {
	msg, err := messages.Next(jetstream.NextContext(ctx))
	if err != nil {
		return nil, false, err
	}
	meta, err := msg.Metadata()
	if err != nil {
		return nil, false, err
	}
	more = meta.NumPending > 0
	r = &auditv1.Record{}
	if err := proto.Unmarshal(msg.Data(), r); err != nil {
		return nil, more, nil // written by another version: not for us
	}
	at := place{r.GetWriter(), r.GetSequence()}
	if seen[at] {
		return nil, more, nil
	}
	seen[at] = true
	if f.Want != nil && !f.Want(r) {
		return nil, more, nil
	}
	return r, more, nil
}
