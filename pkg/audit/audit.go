// Package audit owns the record of every call (contract §9): what is written
// down, that a write's intent is durable before the platform is touched, and
// that nothing is lost between here and the audit stream. Who may read the
// records, and how pages show them, is others' business.
//
// Every record goes into a spool on this machine first and from there to the
// stream. A write's intent is published at once, and the call runs only after
// the stream acknowledged it; everything else is published in the background.
// What the process leaves behind when it dies, the next one publishes. The
// message id is the call's id and the record's kind, so that a second sending
// within the stream's window is no second record; beyond the window Query drops it.
//
// # The chain
//
// Each record names its writer, its place in what that writer wrote (sequence,
// from 1) and the SHA-256 of the writer's record before, over the message's
// bytes as they stand in the stream. The head of the chain is kept in the spool
// folder, so the chain goes on after a restart or a crash. Where the folder was
// lost, or the machine itself lost power, a new chain begins under a new writer
// name (the part after the slash). How far each chain has arrived stands in the
// bucket of heads (anchor.go), at most a second late; what all that proves, and
// what it does not, says ADR 16. Package verify checks it.
package audit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/audit/spool"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

// DefaultMaxBytes bounds the spool where nothing else is said: some 100 000 records.
const DefaultMaxBytes = 64 << 20

// Options says where records wait and where they go.
type Options struct {
	Bus      *bus.Bus
	Dir      string // the spool's folder, for this process alone
	MaxBytes int64  // of the spool; 0 means DefaultMaxBytes
	// Writer names this process in its records, e.g. "build-mcp-0".
	Writer  string
	Now     func() time.Time      // nil: time.Now
	Log     *slog.Logger          // nil: nothing is logged
	Metrics prometheus.Registerer // nil: nothing is counted
	Masker  *mask.Masker          // nil: the known credentials
}

// Log writes the audit records of one process. It is safe for concurrent use.
type Log struct {
	js      jetstream.JetStream
	now     func() time.Time
	log     *slog.Logger
	masker  *mask.Masker
	metrics *metrics
	spool   *spool.Spool
	chain   *chain // changed under the spool's lock only
	anchor  *anchor
	room    room
	counts  refusals

	stop context.CancelFunc
	wg   sync.WaitGroup
}

// Open opens the spool and begins to publish what waits in it. NATS may be away.
func Open(o Options) (*Log, error) {
	o, err := o.complete()
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	// A context of our own, so that its limit on unacknowledged messages is ours alone.
	js, err := jetstream.New(o.Bus.Conn, jetstream.WithPublishAsyncTimeout(ackTimeout), jetstream.WithPublishAsyncMaxPending(2*batchSize))
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	sp, found, err := spool.Open(spool.Options{Dir: filepath.Join(o.Dir, "audit"), MaxBytes: o.MaxBytes})
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	for _, damage := range found.Damage {
		o.Log.Error("the audit spool was damaged", "what", damage)
	}
	if found.Waiting > 0 {
		o.Log.Info("audit records of an earlier run are waiting", "records", found.Waiting)
	}
	ctx, stop := context.WithCancel(context.Background())
	l := &Log{
		js: js, now: o.Now, log: o.Log, masker: o.Masker, spool: sp, chain: resumeChain(o.Writer, found),
		room: room{size: sp.Size, max: o.MaxBytes}, counts: refusals{now: o.Now}, stop: stop,
	}
	if err := l.openAnchor(o); err != nil {
		stop()
		return nil, errors.Join(fmt.Errorf("audit: %w", err), sp.Close(l.chain.note))
	}
	if l.metrics, err = newMetrics(o.Metrics, sp.Size); err != nil {
		stop()
		return nil, errors.Join(fmt.Errorf("audit: metrics: %w", err), sp.Close(l.chain.note))
	}
	l.wg.Go(func() { l.publish(ctx) })
	l.wg.Go(func() { l.flushEachMinute(ctx) })
	l.wg.Go(func() { l.anchorEach(ctx) })
	return l, nil
}

func (o Options) complete() (Options, error) {
	if o.Bus == nil || o.Dir == "" || o.Writer == "" {
		return o, errors.New("the audit needs Bus, Dir and Writer")
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxBytes < 4*recordRoom {
		return o, fmt.Errorf("MaxBytes must be at least %d", 4*recordRoom)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	var err error
	if o.Masker == nil {
		o.Masker, err = mask.New()
	}
	return o, err
}

// Room reports whether a further call's records fit the spool. It is false
// while NATS has been away for long.
func (l *Log) Room() bool { return l.room.free(1) }

// Close writes what was counted, publishes what waits until ctx ends, and gives
// the folder back. What is left then waits on the disk for the next Open. Calls
// must have ended before.
func (l *Log) Close(ctx context.Context) error {
	l.flushRefusals(true)
	l.drain(ctx)
	l.stop()
	l.wg.Wait()
	if err := l.anchorHeads(ctx); err != nil && ctx.Err() == nil {
		l.log.Warn("the heads of the audit's chains cannot be stored", "error", err)
	}
	if err := l.spool.Close(l.chain.note); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}
