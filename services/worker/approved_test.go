package worker

import (
	"context"
	"slices"
	"sync"
	"testing"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// steps is an auth that notes how far it was told that a call is.
type steps struct {
	rights
	refuse authv1.ApprovedStep // this one

	mu   sync.Mutex
	told []authv1.ApprovedStep
}

func (s *steps) Advance(_ context.Context, _ *operationv1.Operation, step authv1.ApprovedStep) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, step)
	if step == s.refuse {
		return &identity.Refused{Kind: identity.RefusedApproval}
	}
	return nil
}

func TestAuthIsToldHowFarAnApprovedCallIs(t *testing.T) {
	const send, ended = authv1.ApprovedStep_APPROVED_STEP_SEND, authv1.ApprovedStep_APPROVED_STEP_ENDED
	for name, c := range map[string]struct {
		approved bool
		refuse   authv1.ApprovedStep
		code     problem.Code
		reason   string
		told     []authv1.ApprovedStep
		made     int
	}{
		"an approved call tells its sending and its end":          {true, 0, "", "", []authv1.ApprovedStep{send, ended}, 1},
		"one whose yes was used is not sent":                      {true, send, problem.SinPermiso, problem.AprobacionExpirada, []authv1.ApprovedStep{send, ended}, 0},
		"a call that needed no approval tells auth nothing of it": {false, send, "", "", nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			auth := &steps{rights: allow(), refuse: c.refuse}
			b.hire("w1", func(h *hand) { h.Rights = auth }).run()
			op := b.operation("create_workload", map[string]any{"name": "shop"})
			if c.approved {
				op.Approval = &operationv1.Approval{PersonId: 7, At: timestamppb.Now(), Tag: []byte("tag")}
			}
			if err := b.store.Submit(t.Context(), op); err != nil {
				t.Fatal(err)
			}
			b.endsWith(op, c.code, c.reason)
			b.queueEmpty()
			auth.mu.Lock()
			defer auth.mu.Unlock()
			if !slices.Equal(auth.told, c.told) {
				t.Errorf("auth was told %v, want %v", auth.told, c.told)
			}
			if n := b.stand.named("shop"); n != c.made {
				t.Errorf("%d were made, want %d", n, c.made)
			}
		})
	}
}
