package swarm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/bus"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// checkAudit looks for the records of everything that the agents know to have
// happened: one outcome for each answered call, and the operations' ids.
func (s *swarm) checkAudit(t *testing.T, all []begun, answered int64) {
	t.Helper()
	eventually(t, time.Minute, "the audit holds an entry for every call", func() error {
		outcomes, operations, err := s.audited(t.Context())
		if err != nil {
			return err
		}
		for _, b := range all {
			if !operations[b.id] {
				return fmt.Errorf("no record names operation %s (%s)", b.id, b.name)
			}
		}
		if int64(outcomes) < answered {
			return fmt.Errorf("%d calls were answered, %d have an outcome", answered, outcomes)
		}
		t.Logf("%d calls were answered, %d have an outcome in the audit", answered, outcomes)
		return nil
	})
}

// audited counts the calls with an outcome, and gives the operations that records name.
func (s *swarm) audited(ctx context.Context) (outcomes int, operations map[string]bool, err error) {
	b, err := bus.Connect(bus.Config{URL: s.natsURL}, "swarm-test", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return 0, nil, err
	}
	defer b.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, 20*time.Second, errors.New("reading the audit took longer than 20 s"))
	defer cancel()
	calls := map[string]bool{}
	operations = map[string]bool{}
	for r, err := range audit.Query(ctx, b, audit.Filter{}) {
		if err != nil {
			return 0, nil, err
		}
		if r.GetKind() == auditv1.Kind_KIND_OUTCOME {
			calls[r.GetCallId()] = true
		}
		operations[r.GetOperationId()] = true
	}
	return len(calls), operations, nil
}
