package audit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/audit/spool"
	"github.com/comporta-mcp/comporta/pkg/bus"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

const (
	// AnchorEvery is how late the stored head of a chain is at most while NATS is
	// there: who cuts off what is younger is not found out by it.
	AnchorEvery = time.Second
	// HeadsOutlive is how much longer a head stays than its records.
	HeadsOutlive = 48 * time.Hour

	markEvery = 24 * time.Hour
	// maxMarks bounds a head, at 16 bytes or so each. Records from before the oldest
	// mark count as old enough to be dropped.
	maxMarks = 400
)

// HeadKey is where a writer's head stands in the bucket bus.AuditHeads.
func HeadKey(writer string) string {
	sum := sha256.Sum256([]byte(writer))
	return hex.EncodeToString(sum[:16])
}

// anchor tells the bucket of heads how far this process's chains have arrived.
type anchor struct {
	records bus.Records
	keep    time.Duration // of a head that does not change any more
	now     func() time.Time

	mu     sync.Mutex
	chains map[string]*reached
}

// reached is the furthest record of one chain that arrived. There may be gaps
// before it.
type reached struct {
	index    uint64 // in the spool
	sequence uint64
	hash     []byte
	told     uint64    // the sequence that the bucket knows
	mark     chainMark // the last known
}

// openAnchor begins with where the chain stands that this process goes on with: the
// process before may have died before it told.
func (l *Log) openAnchor(o Options) error {
	records, err := o.Bus.Records(bus.AuditHeads)
	if err != nil {
		return err
	}
	l.anchor = &anchor{records: records, keep: o.Bus.AuditRetention() + HeadsOutlive, now: o.Now, chains: map[string]*reached{}}
	c := l.chain
	l.anchor.chains[c.Writer] = &reached{
		index: l.spool.Last(), sequence: c.Sequence, hash: c.Hash, mark: chainMark{c.Sequence, o.Now()},
	}
	return nil
}

// chainMark says that what comes after sequence arrived later than at.
type chainMark struct {
	sequence uint64
	at       time.Time
}

// arrived notes a record. It must be called before the spool is told, so that
// what the spool no longer holds is known here.
func (a *anchor) arrived(index uint64, message []byte) {
	var r auditv1.Record
	if proto.Unmarshal(message, &r) != nil || r.GetWriter() == "" {
		return // another version wrote it
	}
	sum := sha256.Sum256(message)
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.chains[r.GetWriter()]
	if at == nil { // a chain of a process before this one
		at = &reached{mark: chainMark{r.GetSequence(), a.now()}}
		a.chains[r.GetWriter()] = at
	}
	if index > at.index {
		at.index, at.sequence, at.hash = index, r.GetSequence(), sum[:]
	}
}

// behind lists the chains that reached further than the bucket knows.
func (a *anchor) behind() map[string]reached {
	a.mu.Lock()
	defer a.mu.Unlock()
	now, out := a.now(), map[string]reached{}
	for writer, at := range a.chains {
		if at.sequence == at.told {
			at.mark = chainMark{at.sequence, now}
			continue
		}
		out[writer] = *at
	}
	return out
}

func (a *anchor) tell(writer string, sequence uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.chains[writer].told = sequence
}

// whole is the last record of the chain before which nothing is missing. oldest is
// what the spool still has to send, read after at; nil where that is nothing. ok is
// false when this cannot be said yet.
func whole(writer string, at reached, oldest *spool.Message) (sequence uint64, hash []byte, ok bool) {
	if oldest == nil || at.index < oldest.Index {
		return at.sequence, at.hash, true
	}
	var r auditv1.Record
	if proto.Unmarshal(oldest.Data, &r) != nil || r.GetWriter() != writer || r.GetSequence() < 2 {
		return 0, nil, false
	}
	return r.GetSequence() - 1, r.GetPrevious(), true
}

// anchorEach keeps the heads fresh until ctx ends.
func (l *Log) anchorEach(ctx context.Context) {
	tick := time.NewTicker(AnchorEvery)
	defer tick.Stop()
	var told bool
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			err := l.anchorHeads(ctx)
			if err != nil && !told && ctx.Err() == nil {
				l.log.Warn("the heads of the audit's chains cannot be stored", "error", err)
			}
			told = err != nil
		}
	}
}

// anchorHeads stores what is new.
func (l *Log) anchorHeads(ctx context.Context) error {
	behind := l.anchor.behind()
	if len(behind) == 0 {
		return nil
	}
	oldest, err := l.spool.Oldest()
	if err != nil {
		return err
	}
	for writer, at := range behind {
		sequence, hash, ok := whole(writer, at, oldest)
		if !ok || sequence <= at.told {
			continue
		}
		if err := l.anchor.store(ctx, writer, at, sequence, hash); err != nil {
			return fmt.Errorf("head of %s: %w", writer, err)
		}
		l.anchor.tell(writer, sequence)
	}
	return nil
}

// store moves a head forward, never back: one that is ahead of its writer was put
// there by somebody else, or the writer's folder is an old copy.
func (a *anchor) store(ctx context.Context, writer string, at reached, sequence uint64, hash []byte) error {
	ctx, cancel := context.WithTimeout(ctx, ackTimeout)
	defer cancel()
	stored, err := a.records.Read(ctx, HeadKey(writer))
	if err != nil {
		return err
	}
	head := &auditv1.Head{}
	if err := proto.Unmarshal(stored.Value, head); err != nil {
		return err
	}
	if head.GetSequence() > sequence {
		return fmt.Errorf("it stands at %d, beyond %d", head.GetSequence(), sequence)
	}
	if head.GetSequence() == sequence && stored.Value != nil {
		return nil
	}
	head = moved(head, at.mark, a.now())
	head.Version, head.Writer, head.Sequence, head.Hash = recordVersion, writer, sequence, hash
	value, err := proto.Marshal(head)
	if err != nil {
		return err
	}
	_, err = a.records.Write(ctx, HeadKey(writer), value, stored.Revision, a.keep)
	return err
}

// moved is the head with the time, and at most once a day a mark of how far it was.
func moved(head *auditv1.Head, mark chainMark, now time.Time) *auditv1.Head {
	marks := head.GetMarks()
	if n := len(marks); n == 0 || now.Sub(marks[n-1].GetAt().AsTime()) >= markEvery {
		marks = append(marks, &auditv1.Mark{Sequence: mark.sequence, At: timestamppb.New(mark.at)})
	}
	return &auditv1.Head{At: timestamppb.New(now), Marks: marks[max(0, len(marks)-maxMarks):]}
}
