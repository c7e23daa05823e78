package operation

import (
	"context"
	"errors"

	"github.com/comporta-mcp/comporta/pkg/operation/record"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// maxCancels bounds the races of one Cancel with the worker; each lost one means
// that the worker got further, and it has few steps to go.
const maxCancels = 16

// Cancel stops the link's operation if nothing of it has reached the platform yet,
// and gives the operation as it is then: fase "cancelada", or whatever it is that
// could not be stopped any more.
func (s *Store) Cancel(ctx context.Context, link, id string) (*operationv1.Operation, error) {
	for range maxCancels {
		rec, err := s.find(ctx, link, id)
		if err != nil {
			return nil, err
		}
		if Ended(rec.Op) || Sent(rec.Op) {
			return rec.Op, nil
		}
		err = s.Save(ctx, rec, func(op *operationv1.Operation) { Fail(op, cancelled()) })
		switch {
		case err == nil:
			return rec.Op, nil
		case !errors.Is(err, record.ErrConflict):
			return nil, away(err)
		}
	}
	return nil, away(errors.New("the record changed each time it was to be cancelled"))
}

func cancelled() *problem.Problem {
	return problem.New(problem.EstadoInvalido, "The operation was cancelled before anything reached the platform.").
		Because(problem.Cancelada).NotRetryable().
		ToDo("Nothing was changed. Call the tool again if it is wanted after all.")
}
