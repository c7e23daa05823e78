package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/audit/spool"
	"github.com/comporta-mcp/comporta/pkg/problem"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// Operation records how an operation ended. failed is nil where it went well.
// Called again for the same operation it makes no second record in the stream,
// as long as that happens within the stream's window for duplicates. It fails
// when the spool is full; then it is to be called again later.
func (l *Log) Operation(_ context.Context, op *operationv1.Operation, failed *problem.Problem) error {
	r := &auditv1.Record{
		Version: recordVersion, Kind: auditv1.Kind_KIND_OPERATION, CallId: op.GetCallId(), At: timestamppb.New(l.now()),
		Area: op.GetArea(), Tool: op.GetTool(), LinkId: op.GetLinkId(), PersonId: op.GetPersonId(),
		CompanyId: op.GetCompanyId(), OperationId: op.GetId(), Arguments: l.operationArguments(op),
		Outcome: ok, UpstreamStatus: op.GetStep().GetStatus(),
	}
	if began := op.GetCreatedAt(); began != nil {
		r.DurationMs = l.now().Sub(began.AsTime()).Milliseconds()
	}
	if failed != nil {
		r.Outcome, r.Reason = string(failed.Code), cutText(failed.Reason(), 64)
		if failed.Upstream != 0 {
			r.UpstreamStatus = int32(failed.Upstream)
		}
	}
	if yes := op.GetApproval(); yes != nil {
		r.Approval = fmt.Sprintf("person %d at %s", yes.GetPersonId(), yes.GetAt().AsTime().UTC().Format(time.RFC3339))
	}
	if r.GetCallId() == "" {
		r.CallId = op.GetId()
	}
	if !l.room.free(1) {
		return fmt.Errorf("audit of operation %s: %w", op.GetId(), spool.ErrFull)
	}
	if err := l.keep(r); err != nil {
		return fmt.Errorf("audit of operation %s: %w", op.GetId(), err)
	}
	return nil
}

// operationArguments: an operation's record holds no secret values, but the
// shapes of credentials are looked for all the same.
func (l *Log) operationArguments(op *operationv1.Operation) []byte {
	decoder := json.NewDecoder(bytes.NewReader(op.GetArguments()))
	decoder.UseNumber()
	var args map[string]any
	if decoder.Decode(&args) != nil {
		return []byte("{}")
	}
	return l.arguments(nil, args)
}
