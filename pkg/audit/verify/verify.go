// Package verify owns the proof that no audit record is missing or changed: it
// goes once through the stream, follows each writer's chain of hashes, and holds
// it against the heads that stand apart from the records, and against a copy of
// the heads that an operator kept elsewhere. How chains are written is package
// audit's; what all this proves, and what it does not, says ADR 16.
package verify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/bus"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// Options says what to hold the stream against.
type Options struct {
	// Kept are heads of an earlier time; nil: there are none.
	Kept []*auditv1.Head
	// Retention is how long records stay. What is missing and younger was taken away.
	Retention time.Duration
	Now       func() time.Time // nil: time.Now
}

// Report is what was found.
type Report struct {
	Writers, Records int
	Oldest, Newest   time.Time // of when records arrived; zero where there are none
	// Trimmed counts records that are gone and were old enough for it.
	Trimmed uint64
	// Faults are proofs that something is missing or was changed.
	Faults []Finding
	// Doubts are what cannot be proven either way.
	Doubts []Finding
}

// Finding is one thing that is not as its writer left it.
type Finding struct {
	Writer   string
	Sequence uint64 // of the record in its writer's chain; 0: it is about the whole
	Place    uint64 // of the record in the stream, or of the one beside it; 0: unknown
	Call     string // the call's id, where it is known
	At       time.Time
	What     string
}

// String is one line that says where and what.
func (f Finding) String() string {
	var where []string
	if f.Writer != "" {
		where = append(where, "writer "+f.Writer)
	}
	if f.Sequence > 0 {
		where = append(where, fmt.Sprintf("record %d", f.Sequence))
	}
	if f.Place > 0 {
		where = append(where, fmt.Sprintf("at place %d of the stream", f.Place))
	}
	if !f.At.IsZero() {
		where = append(where, "arrived "+f.At.UTC().Format(time.RFC3339))
	}
	if f.Call != "" {
		where = append(where, "call "+f.Call)
	}
	if len(where) == 0 {
		return f.What
	}
	return strings.Join(where, ", ") + ": " + f.What
}

// Verify goes through the whole stream. The error means that it could not be read
// to its end; what was found is in the report.
func Verify(ctx context.Context, b *bus.Bus, o Options) (*Report, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Retention <= 0 {
		return nil, errors.New("verify the audit: Retention is missing")
	}
	report, err := o.verify(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("verify the audit: %w", err)
	}
	return report, nil
}

func (o Options) verify(ctx context.Context, b *bus.Bus) (*Report, error) {
	began := o.Now()
	stored, err := Heads(ctx, b) // before the records, so that none of theirs can still be on its way
	if err != nil {
		return nil, err
	}
	stream, err := b.JS.Stream(ctx, bus.AuditStream)
	if err != nil {
		return nil, err
	}
	report := &Report{}
	chains := o.chains(stored, began, report)
	o.settings(stream.CachedInfo().Config, report)
	if err := o.read(ctx, stream, chains, report); err != nil {
		return nil, err
	}
	for _, writer := range slices.Sorted(chains.names()) {
		chains.of(writer).end()
	}
	report.Writers = len(chains.byWriter)
	return report, nil
}

// settings finds a stream that lets records be taken away.
func (o Options) settings(c jetstream.StreamConfig, report *Report) {
	fault := func(what string) {
		report.Faults = append(report.Faults, Finding{What: "stream " + c.Name + ": " + what})
	}
	if !c.DenyDelete || !c.DenyPurge {
		fault("it lets records be deleted; it was made anew, or by somebody else.")
	}
	if c.MaxAge != o.Retention {
		fault(fmt.Sprintf("it keeps records for %s, not for %s.", c.MaxAge, o.Retention))
	}
	if c.MaxMsgs > 0 || c.MaxBytes > 0 || c.MaxMsgsPerSubject > 0 {
		fault("it drops records before their time when there are many.")
	}
}

// read hands each message that is in the stream now to its chain.
func (o Options) read(ctx context.Context, stream jetstream.Stream, chains *chains, report *Report) error {
	if stream.CachedInfo().State.Msgs == 0 {
		return nil
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	for last := stream.CachedInfo().State.LastSeq; ; {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		meta, err := msg.Metadata()
		if err != nil {
			return err
		}
		report.add(meta.Timestamp)
		chains.add(msg.Data(), meta)
		if meta.NumPending == 0 || meta.Sequence.Stream >= last {
			return nil
		}
	}
}

func (r *Report) add(at time.Time) {
	r.Records++
	if r.Oldest.IsZero() {
		r.Oldest = at
	}
	r.Newest = at
}

// chains are the writers' chains as far as they were read.
type chains struct {
	options  Options
	began    time.Time
	report   *Report
	byWriter map[string]*chain
}

func (o Options) chains(stored []*auditv1.Head, began time.Time, report *Report) *chains {
	all := &chains{options: o, began: began, report: report, byWriter: map[string]*chain{}}
	for _, head := range stored {
		all.of(head.GetWriter()).head = head
	}
	for _, head := range o.Kept {
		all.of(head.GetWriter()).kept = head
	}
	return all
}

func (a *chains) names() func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range a.byWriter {
			if !yield(name) {
				return
			}
		}
	}
}

func (a *chains) of(writer string) *chain {
	c := a.byWriter[writer]
	if c == nil {
		c = &chain{
			writer: writer, retention: a.options.Retention, began: a.began, ahead: map[uint64]link{},
			fault: func(f Finding) { a.report.Faults = append(a.report.Faults, f) },
			doubt: func(f Finding) { a.report.Doubts = append(a.report.Doubts, f) },
			trim:  func(n uint64) { a.report.Trimmed += n },
		}
		a.byWriter[writer] = c
	}
	return c
}

func (a *chains) add(data []byte, meta *jetstream.MsgMetadata) {
	var r auditv1.Record
	if err := proto.Unmarshal(data, &r); err != nil || r.GetWriter() == "" || r.GetSequence() == 0 {
		a.report.Faults = append(a.report.Faults, Finding{
			Place: meta.Sequence.Stream, At: meta.Timestamp, What: "this is no record of any writer.",
		})
		return
	}
	a.of(r.GetWriter()).add(link{
		sequence: r.GetSequence(), previous: r.GetPrevious(), hash: sha256.Sum256(data),
		place: meta.Sequence.Stream, at: meta.Timestamp, call: r.GetCallId(),
	})
}
