package operation

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/fault"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// Submit stores the operation and wakes a worker, then op is what is stored. The
// same id again gives the operation as it is by now, and wakes a worker if the
// first Submit did not get so far. An operation that waits for a person is
// stored only.
//
// After an error nothing was started, unless its reason is resultado_desconocido:
// then the operation may exist, and detalle.operacion_id tells where to look.
func (s *Store) Submit(ctx context.Context, op *operationv1.Operation) error {
	key, ok := Key(op.GetLinkId(), op.GetId())
	if !ok {
		return problem.As(errors.New("operation without a usable link and id"))
	}
	if size := len(op.GetArguments()) + len(op.GetSealed()); size > MaxArguments {
		return tooLarge(size)
	}
	// The caller may hang up; what was begun here must still be brought to an end.
	ctx = context.WithoutCancel(ctx)
	rec, err := s.create(ctx, key, op)
	if rec != nil && rec.Op.GetPayload() != op.GetPayload() {
		s.drop(ctx, op.GetPayload()) // an earlier Submit has its own
	}
	if err != nil {
		return err
	}
	if awaitsPublication(rec.Op) {
		if err := s.publishFirst(ctx, rec); err != nil {
			return err
		}
	}
	proto.Reset(op)
	proto.Merge(op, rec.Op)
	return nil
}

func awaitsPublication(op *operationv1.Operation) bool {
	return op.GetPhase() == operationv1.Phase_PHASE_QUEUED && op.GetPublished() == 0 && op.GetTries() == 0
}

// create stores the first version of the record, or finds the one of an earlier Submit.
func (s *Store) create(ctx context.Context, key string, op *operationv1.Operation) (*Record, error) {
	first := proto.CloneOf(op)
	if first.State == operationv1.State_STATE_UNSPECIFIED {
		first.State = operationv1.State_STATE_RUNNING
	}
	if first.Phase == operationv1.Phase_PHASE_UNSPECIFIED {
		first.Phase = operationv1.Phase_PHASE_QUEUED
	}
	touch(first, s.now())
	fault.Point(fault.BeforeRecord)
	revision, err := s.records.Create(ctx, key, first)
	switch {
	case errors.Is(err, record.ErrTaken):
		rec, err := s.Load(ctx, key)
		if err != nil {
			return nil, notStarted(err)
		}
		return rec, nil
	case errors.Is(err, record.ErrUnsure): // where it was stored, the reconciler queues it
		return nil, perhapsStarted(op, err)
	case err != nil:
		return nil, notStarted(err)
	}
	fault.Point(fault.AfterRecord)
	return &Record{Key: key, Op: first, revision: revision}, nil
}

// publishFirst publishes a new record's message, or takes the record back.
func (s *Store) publishFirst(ctx context.Context, rec *Record) error {
	_, failed := s.publish(ctx, rec.Key, 1)
	if failed == nil {
		// Only a note for the reconciler; a worker that was faster has made it too.
		if err := s.Save(ctx, rec, func(op *operationv1.Operation) { op.Published = 1 }); err != nil {
			s.reload(ctx, rec)
		}
		return nil
	}
	err := s.records.Delete(ctx, rec.Key, rec.revision)
	switch {
	case err == nil:
		s.drop(ctx, rec.Op.GetPayload())
		return notStarted(failed)
	case errors.Is(err, record.ErrConflict): // a worker has it: the message did arrive
		s.reload(ctx, rec)
		return nil
	default: // the record may have stayed, and then the reconciler queues it
		return perhapsStarted(rec.Op, failed)
	}
}

// reload brings rec up to date if it can: the operation is accepted either way.
func (s *Store) reload(ctx context.Context, rec *Record) {
	if now, err := s.Load(ctx, rec.Key); err == nil {
		*rec = *now
	}
}

func tooLarge(size int) error {
	return problem.New(problem.ParametroInvalido, "The arguments are too large for an operation: %d KiB, at most %d KiB are possible.", size>>10, MaxArguments>>10).
		With("fields", map[string]string{}).
		ToDo("Send less at once, for example in several calls.")
}

func notStarted(err error) error {
	return problem.New(problem.EstadoInvalido, "The operation could not be queued. Nothing was started.").
		ToDo("Wait reintentar_en_segundos, then repeat the same call.").
		After(2 * time.Second).Wrap(err)
}

func perhapsStarted(op *operationv1.Operation, err error) error {
	p := problem.New(problem.EstadoInvalido, "It is not known whether the operation was queued.").
		Because(problem.ResultadoDesconocido).
		With("operacion_id", op.GetId()).
		ToDo("Call ver_operacion with detalle.operacion_id in a minute: it tells whether the operation runs.").
		Wrap(err)
	if op.GetIdempotencyKey() == "" {
		return p.NotRetryable()
	}
	return p.After(2 * time.Second) // the same key leads to the same operation
}
