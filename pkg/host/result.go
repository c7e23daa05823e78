package host

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/call"
)

// callResult is the result of tools/call in both eras.
type callResult struct {
	*modernResult
	Content           []textContent   `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	IsError           bool            `json:"isError,omitempty"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// resultOf makes the bytes of a good result: the object, and the same JSON as text.
func (g *Gate) resultOf(rq *request, a *call.Answer) ([]byte, error) {
	value := a.Value
	if value == nil {
		value = map[string]any{}
	}
	structured, err := answer.Text(value)
	if err != nil {
		return nil, err
	}
	shown := a.Text
	if shown == "" {
		shown = structured
	}
	return g.encode(rq, callResult{
		Content:           []textContent{{"text", shown}},
		StructuredContent: json.RawMessage(structured),
	})
}

// errorOf makes the bytes of a tool error. A tool that lists an output schema
// gives no structuredContent with it: strict clients would hold the error
// against that schema. For all others it is there, as contract §5 says of answers.
func (g *Gate) errorOf(rq *request, t Tool, problem map[string]any) ([]byte, error) {
	shown, err := answer.Text(problem)
	if err != nil {
		return nil, err
	}
	result := callResult{Content: []textContent{{"text", shown}}, IsError: true}
	if !listsOutput(t.Tool) {
		result.StructuredContent = json.RawMessage(shown)
	}
	return g.encode(rq, result)
}

func (g *Gate) encode(rq *request, result callResult) ([]byte, error) {
	if rq.era == modern {
		result.modernResult = &modernResult{ResultType: "complete", Meta: g.resultMeta(rq.profile)}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // it would make six bytes of each < in code and pages
	if err := encoder.Encode(result); err != nil {
		return nil, fmt.Errorf("encode a result: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'}), nil
}
