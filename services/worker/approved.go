package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// unchanged looks whether the resource still is what the person saw when they
// approved the call. Auth has judged by now that the approval is its own. What
// was sent before is package once's to look after.
func (w *Worker) unchanged(ctx context.Context, op *operationv1.Operation, write platform.Request) error {
	seen := op.GetApproval().GetSeen()
	if len(seen) == 0 || operation.Sent(op) {
		return nil
	}
	read, args, ok := approval.Resource(write.Tool, w.parts.Tools, write.Args)
	if !ok {
		return fmt.Errorf("tool %s has no way to read what the person saw", write.Tool.Name)
	}
	now, err := w.resource(ctx, platform.Request{
		Tool: read, Args: args, Authorization: write.Authorization, CompanyID: write.CompanyID,
	})
	if err != nil {
		return err
	}
	digest, err := approval.Seen(now)
	if err != nil {
		return err
	}
	if !bytes.Equal(digest, seen) {
		return changedSince(read)
	}
	return nil
}

// resource is nil where there is none.
func (w *Worker) resource(ctx context.Context, r platform.Request) (map[string]any, error) {
	got, err := w.parts.Prober.Do(ctx, r)
	if problem.Is(err, problem.NoEncontrado) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return got.Value, nil
}

// advance tells auth what becomes of the write of an approved call, since one yes
// is good for one effect and the record could be an old one that somebody put back.
func (j *job) advance(ctx context.Context, step *operationv1.Step) error {
	if j.op().GetApproval() == nil || j.refused != nil { // what auth refused was never sent
		return nil
	}
	now := authv1.ApprovedStep_APPROVED_STEP_UNSPECIFIED
	switch step.GetState() {
	case operationv1.Step_STATE_UNSPECIFIED:
		now = authv1.ApprovedStep_APPROVED_STEP_REFUSED
	case operationv1.Step_STATE_SENT:
		now = authv1.ApprovedStep_APPROVED_STEP_SEND_AGAIN
		if step.GetSends() == 1 {
			now = authv1.ApprovedStep_APPROVED_STEP_SEND
		}
	default:
		return nil // auth learns of the end
	}
	err := j.worker.parts.Rights.Advance(ctx, j.op(), now)
	if refused, ok := errors.AsType[*identity.Refused](err); ok {
		j.refused = refusedOf(j.op(), refused)
		return j.refused
	}
	return err
}

// spend tells auth that an approved call has ended, so that its yes is good for
// nothing more.
func (w *Worker) spend(ctx context.Context, op *operationv1.Operation) error {
	if op.GetApproval() == nil {
		return nil
	}
	return w.parts.Rights.Advance(ctx, op, authv1.ApprovedStep_APPROVED_STEP_ENDED)
}

func changedSince(read *catalog.Tool) error {
	return problem.New(problem.Conflicto, "The resource was changed after the person looked at it, so what they approved was not done.").
		ToDo("Read it again with %s. If the call is still wanted, make it again: the person is asked anew.", read.Name)
}

// refusedOf is the end of an operation that auth gives no credential for.
func refusedOf(op *operationv1.Operation, refused *identity.Refused) error {
	if refused.Kind != identity.RefusedApproval {
		return revoked(op, refused)
	}
	return problem.New(problem.SinPermiso, "The person must approve this call, and no approval of theirs counts for it.").
		Because(problem.AprobacionExpirada).Wrap(refused).
		ToDo("Make the call again: the person is asked anew.")
}
