package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Result is a tool's answer.
type Result struct {
	Content    []mcp.Content
	Structured json.RawMessage // nil where the server gives none
}

// newResult is a server's answer, or the error that it carries.
func newResult(tool string, r *mcp.CallToolResult) (*Result, error) {
	result := &Result{Content: r.Content, Structured: structured(r)}
	if r.IsError {
		return nil, newToolError(tool, result)
	}
	return result, nil
}

// Text is the answer for a model: its text parts, else the structured answer.
// What is no text is named.
func (r *Result) Text() string {
	var parts []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.ImageContent:
			parts = append(parts, fmt.Sprintf("[image, %s, %d bytes]", c.MIMEType, len(c.Data)))
		case *mcp.AudioContent:
			parts = append(parts, fmt.Sprintf("[audio, %s, %d bytes]", c.MIMEType, len(c.Data)))
		case *mcp.ResourceLink:
			parts = append(parts, fmt.Sprintf("[resource %s: %s]", c.URI, c.Name))
		case *mcp.EmbeddedResource:
			parts = append(parts, embedded(c))
		}
	}
	if len(parts) == 0 {
		return string(r.Structured)
	}
	return strings.Join(parts, "\n")
}

func embedded(c *mcp.EmbeddedResource) string {
	if c.Resource == nil {
		return ""
	}
	if c.Resource.Text != "" {
		return c.Resource.Text
	}
	return fmt.Sprintf("[resource %s, %s, %d bytes]", c.Resource.URI, c.Resource.MIMEType, len(c.Resource.Blob))
}

// Decode reads the structured answer, or the text where that is JSON, into v.
func (r *Result) Decode(v any) error {
	if r.Structured != nil {
		return json.Unmarshal(r.Structured, v)
	}
	return json.Unmarshal([]byte(r.Text()), v)
}

// Answer is what a model is told of a call: the answer, or the error in words.
//
//	text := agent.Answer(m.Call(ctx, name, args))
func Answer(r *Result, err error) string {
	if e, ok := errors.AsType[*ToolError](err); ok {
		return e.Text
	}
	if err != nil {
		return "The call failed: " + err.Error()
	}
	return r.Text()
}

// structured is the structured answer with every digit of its integers: go-sdk
// reads numbers as floats, but servers repeat the answer as text.
func structured(r *mcp.CallToolResult) json.RawMessage {
	if r.StructuredContent == nil {
		return nil
	}
	if raw, ok := r.StructuredContent.(json.RawMessage); ok {
		return raw
	}
	if holdsBig(r.StructuredContent) && len(r.Content) > 0 {
		if text, ok := r.Content[0].(*mcp.TextContent); ok && json.Valid([]byte(text.Text)) && strings.HasPrefix(text.Text, "{") {
			return json.RawMessage(text.Text)
		}
	}
	raw, err := json.Marshal(r.StructuredContent)
	if err != nil {
		return nil
	}
	return raw
}

// exact is the first integer that a float does not hold for sure.
const exact = 1 << 53

func holdsBig(v any) bool {
	switch v := v.(type) {
	case float64:
		return math.Abs(v) >= exact
	case []any:
		for _, e := range v {
			if holdsBig(e) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if holdsBig(e) {
				return true
			}
		}
	}
	return false
}
