// Package operation owns work that outlives a call: its record, the queue that
// wakes a worker, waiting for its end, and how it looks to an agent.
//
// The record is the truth; the queue's message is only its key, a wake-up that
// may be lost, doubled or late. A record counts as accepted once its message was
// published; one that never was ends by itself (see package worker) and is never
// run, so that "nothing was started" stays true when the caller was told so.
//
// Records are in the bucket "operations" under "<link id>.<operation id>": one
// link's operations are one prefix, newest last, since operation ids are ULIDs;
// and a look-up by id is always a look-up inside a link, so that nobody meets
// another link's operation. Running them is package worker's business.
package operation

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// recordVersion is the version of the records that this code writes.
const recordVersion = 1

// MaxArguments bounds what a caller's arguments may take in a record, in bytes,
// sealed ones included; spare is what the rest of the record may need.
const (
	MaxArguments = record.MaxSize - spare
	spare        = 132 << 10
)

// NewID makes an operation's id: a ULID.
func NewID(now time.Time) string {
	return ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
}

var linkID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Key is where the operation's record is. ok is false for ids that no record can
// have; what comes from a caller may be anything.
func Key(link, id string) (key string, ok bool) {
	if _, err := ulid.ParseStrict(id); err != nil || !linkID.MatchString(link) {
		return "", false
	}
	return link + "." + strings.ToUpper(id), true
}

// validKey is the whole of a queue message.
func validKey(key string) bool {
	link, id, found := strings.Cut(key, ".")
	made, ok := Key(link, id)
	return found && ok && made == key
}

// Ended reports whether the operation has its final state.
func Ended(op *operationv1.Operation) bool {
	return op.GetState() == operationv1.State_STATE_OK || op.GetState() == operationv1.State_STATE_ERROR
}

// Sent reports whether the operation's write has, or may have, reached the
// platform. A write that the platform refused counts as not sent: package once
// clears its step.
func Sent(op *operationv1.Operation) bool {
	return op.GetStep().GetState() != operationv1.Step_STATE_UNSPECIFIED
}

// Succeed ends the operation with the answer that the agent shall see.
func Succeed(op *operationv1.Operation, value map[string]any) error {
	result, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode the result of operation %s: %w", op.GetId(), err)
	}
	if len(result) > maxResult {
		result = omitted
	}
	end(op, operationv1.State_STATE_OK, operationv1.Phase_PHASE_DONE)
	op.Result = result
	if proto.Size(op) > record.MaxSize-spare {
		op.Arguments = nil // the result matters more by now
	}
	return nil
}

// maxResult bounds a result: 60 000 characters (contract §5) of at most 4 bytes,
// and what JSON adds.
const maxResult = 300 << 10

// omitted stands for a result that is larger than any answer may be.
var omitted = json.RawMessage(fmt.Sprintf(`{"respuesta_omitida":true,"advertencia":%q}`,
	problem.Sentence{Format: "The operation succeeded. Its result is too large to be kept: read the resource itself."}))

// Fail ends the operation with a problem, whose correlacion_id is the call's id.
func Fail(op *operationv1.Operation, p *problem.Problem) {
	phase := operationv1.Phase_PHASE_DONE
	if p.Reason() == problem.Cancelada {
		phase = operationv1.Phase_PHASE_CANCELLED
	}
	end(op, operationv1.State_STATE_ERROR, phase)
	whole := answer.Problem(p, op.GetCallId(), nil)
	keepSentences(whole, p)
	told, err := json.Marshal(whole)
	if err != nil { // a detail that is not JSON: say the rest
		told, _ = json.Marshal(answer.Problem(problem.As(err), op.GetCallId(), nil))
	}
	op.Error = told
}

// Failure is the problem that the operation ended with, as far as its record
// tells it; nil for one that did not fail.
func Failure(op *operationv1.Operation) *problem.Problem {
	if op.GetState() != operationv1.State_STATE_ERROR {
		return nil
	}
	var told struct {
		Code      problem.Code   `json:"code"`
		What      string         `json:"que_paso"`
		Retryable bool           `json:"reintentable"`
		Detail    map[string]any `json:"detalle"`
	}
	if err := json.Unmarshal(op.GetError(), &told); err != nil || told.Code == "" {
		return problem.As(fmt.Errorf("operation %s failed without a readable problem", op.GetId()))
	}
	p := problem.New(told.Code, "%s", told.What)
	p.Retryable = told.Retryable
	if told.Detail != nil {
		p.Detail = told.Detail
	}
	return p
}

// end leaves nothing behind that only a running operation needs.
func end(op *operationv1.Operation, state operationv1.State, phase operationv1.Phase) {
	op.State, op.Phase = state, phase
	op.Sealed, op.Lease, op.Progress, op.ApproveUrl, op.Payload = nil, nil, nil, "", ""
	if op.Step != nil {
		op.Step.Answer = nil // the result holds what is worth keeping
	}
}

// touch sets the record's times.
func touch(op *operationv1.Operation, now time.Time) {
	op.Version = recordVersion
	op.UpdatedAt = timestamppb.New(now)
	if op.CreatedAt == nil {
		op.CreatedAt = op.UpdatedAt
	}
}
