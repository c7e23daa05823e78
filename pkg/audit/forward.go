package audit

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// Stretch says which records Forward gives; a zero field wants all.
type Stretch struct {
	LinkIDs []string  // records of these links
	Since   time.Time // of when the record arrived
	After   uint64    // a Found's Place: only records behind it
	// Want, where set, decides about each record. It must not keep it.
	Want func(*auditv1.Record) bool
}

// Forward is the function of this name.
func (r Reader) Forward(ctx context.Context, s Stretch) iter.Seq2[Found, error] {
	return Forward(ctx, r.Bus, s)
}

// Forward ranges over the records that are in the stream now, the oldest first,
// and holds none of them. A record that was sent twice comes once. It ends with
// the first error.
func Forward(ctx context.Context, b *bus.Bus, s Stretch) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		messages, err := open(ctx, b, s.consumer())
		if err != nil {
			yield(Found{}, fmt.Errorf("read the audit: %w", err))
			return
		}
		if messages == nil {
			return
		}
		defer messages.Stop()
		seen := map[place]bool{}
		for {
			found, more, err := next(ctx, messages, s.Want, seen)
			switch {
			case err != nil:
				yield(Found{}, fmt.Errorf("read the audit: %w", err))
				return
			case found.Record != nil && !yield(found, nil):
				return
			case !more:
				return
			}
		}
	}
}

func (s Stretch) consumer() jetstream.OrderedConsumerConfig {
	cfg := jetstream.OrderedConsumerConfig{FilterSubjects: subjects(s.LinkIDs), DeliverPolicy: jetstream.DeliverAllPolicy}
	switch {
	case s.After > 0:
		cfg.DeliverPolicy, cfg.OptStartSeq = jetstream.DeliverByStartSequencePolicy, s.After+1
	case !s.Since.IsZero():
		cfg.DeliverPolicy, cfg.OptStartTime = jetstream.DeliverByStartTimePolicy, &s.Since
	}
	return cfg
}

// Subject is where the records of a link are published.
func Subject(linkID string) string { return bus.AuditSubject + "." + subjectToken(linkID) }

// subjects are those of these links, or of all.
func subjects(linkIDs []string) []string {
	if len(linkIDs) == 0 {
		return []string{bus.AuditSubject + ".>"}
	}
	all := make([]string, len(linkIDs))
	for i, id := range linkIDs {
		all[i] = Subject(id)
	}
	return all
}
