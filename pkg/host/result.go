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
	structured, err := answer.Text(spoken(rq.lang, value))
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

// errorOf makes the bytes of a tool error. No tool lists an output schema that a
// strict client could hold the structuredContent against.
func (g *Gate) errorOf(rq *request, problem map[string]any) ([]byte, error) {
	shown, err := answer.Text(problem)
	if err != nil {
		return nil, err
	}
	return g.encode(rq, callResult{
		Content:           []textContent{{"text", shown}},
		StructuredContent: json.RawMessage(shown),
		IsError:           true,
	})
}

func (g *Gate) encode(rq *request, result callResult) ([]byte, error) {
	if rq.era == modern {
		result.modernResult = &modernResult{ResultType: "complete", Meta: g.resultMeta(rq.profile)}
	}
	out, err := plainJSON(result)
	if err != nil {
		return nil, fmt.Errorf("encode a result: %w", err)
	}
	return out, nil
}

// plainJSON leaves < and > as they are: escaped, each costs a model six letters.
func plainJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'}), nil
}
