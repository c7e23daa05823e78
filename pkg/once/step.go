package once

import (
	"bytes"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/platform"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// stepOf is the sent step with its answer. The journal is a store, so secrets are
// masked in it: nobody needs them for anything.
func stepOf(tool *catalog.Tool, sent *operationv1.Step, got *platform.Answer) (*operationv1.Step, error) {
	value, err := json.Marshal(answer.Hide(tool, got.Value))
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	step := proto.CloneOf(sent)
	step.State = operationv1.Step_STATE_ANSWERED
	step.Answer = value
	step.Status = int32(got.Status)
	step.Pending = got.Pending
	return step, nil
}

// answerOf is the answer that a step holds, every digit kept.
func answerOf(step *operationv1.Step) (*platform.Answer, error) {
	decoder := json.NewDecoder(bytes.NewReader(step.Answer))
	decoder.UseNumber()
	value := map[string]any{}
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("decode the recorded answer: %w", err)
	}
	return &platform.Answer{Status: int(step.Status), Value: value, Pending: step.Pending}, nil
}
