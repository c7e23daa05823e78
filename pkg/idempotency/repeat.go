package idempotency

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// repeatMark tells the caller that the answer is an earlier call's.
const repeatMark = "idempotente"

// repeated is a kept answer for a repeat, digit for digit.
func repeated(c *call.Call, kept []byte) (*call.Answer, error) {
	decoder := json.NewDecoder(bytes.NewReader(kept))
	decoder.UseNumber()
	var value map[string]any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("read a kept answer: %w", err)
	}
	value[repeatMark] = true
	c.Trace.Repeat = true
	return &call.Answer{Value: value}, nil
}

// present is the operation of an earlier call as it is now.
func present(c *call.Call, op *operationv1.Operation, now time.Time) *call.Answer {
	c.Trace.Repeat, c.Trace.OperationID = true, op.GetId()
	view := operation.ViewAt(op, now)
	view[repeatMark] = true
	return &call.Answer{Value: view}
}

func badKey() error {
	const what = "The idempotency_key must be 1 to 255 printable characters."
	return problem.New(problem.ParametroInvalido, what).
		Field("idempotency_key", problem.Sentence{Format: what}).
		ToDo("Send another idempotency_key, for example a UUID.")
}

func otherArguments(key string) error {
	return problem.New(problem.Conflicto, "The idempotency_key %q was used with other arguments.", key).
		ToDo("Send the same arguments as before, or another idempotency_key.")
}

func stillRunning() error {
	return problem.New(problem.EstadoInvalido, "The first call with this idempotency_key is still running.").
		ToDo("Wait reintentar_en_segundos, then repeat the same call with the same idempotency_key.").
		After(5 * time.Second)
}

func away(err error) error {
	return problem.New(problem.EstadoInvalido, "Calls with an idempotency_key cannot be recorded right now, so nothing was sent.").
		ToDo("Wait reintentar_en_segundos, then repeat the same call with the same idempotency_key.").
		After(2 * time.Second).Wrap(err)
}
