package once

import (
	"context"
	"net/http"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// outcome is what a look at the platform says about a write.
type outcome int

const (
	unclear outcome = iota // it may or may not have taken effect
	absent                 // it has not, or sending it again changes nothing more
	landed                 // it has
)

// finding is an outcome and, where it landed, the answer it would have got.
type finding struct {
	outcome outcome
	answer  *platform.Answer
}

// looker sees what became of one kind of write.
type looker interface {
	// before gives the ids of what already looks like the wanted resource.
	before(ctx context.Context) ([]string, error)
	// after says what became of the sent step. It is called when the request has settled.
	after(ctx context.Context, step *operationv1.Step) (finding, error)
	// tidy corrects an answer for what earlier sends may have done.
	tidy(answer *platform.Answer, sends uint32) *platform.Answer
}

func lookerFor(w *Writer, r platform.Request) looker {
	if search, ok := newSearch(w, r); ok {
		return search
	}
	retrieve := w.tool(r.Tool.Retrieve)
	switch methodOf(r.Tool) {
	case http.MethodDelete:
		return deletion{w: w, r: r, retrieve: retrieve}
	case http.MethodPut, http.MethodPatch:
		if retrieve != nil {
			return change{w: w, r: r, retrieve: retrieve}
		}
	}
	return blind{r.Tool}
}

func methodOf(tool *catalog.Tool) string {
	if tool.Binding == nil {
		return "" // written by hand; the platform client will say what it thinks of that
	}
	return tool.Binding.Method
}

// blind is for writes that cannot be looked at: only those that change nothing
// more when repeated may be sent again.
type blind struct{ tool *catalog.Tool }

func (blind) before(context.Context) ([]string, error)                { return nil, nil }
func (blind) tidy(answer *platform.Answer, _ uint32) *platform.Answer { return answer }
func (b blind) after(context.Context, *operationv1.Step) (finding, error) {
	if b.tool.Idempotent {
		return finding{outcome: absent}, nil
	}
	return finding{}, nil
}

// deletion looks whether the resource is gone.
type deletion struct {
	w        *Writer
	r        platform.Request
	retrieve *catalog.Tool // nil: there is none; a second deletion then tells
}

func (deletion) before(context.Context) ([]string, error) { return nil, nil }

func (d deletion) after(ctx context.Context, _ *operationv1.Step) (finding, error) {
	if d.retrieve == nil {
		return finding{outcome: absent}, nil
	}
	_, err := d.w.Platform.Do(ctx, about(d.retrieve, d.r))
	switch {
	case problem.Is(err, problem.NoEncontrado):
		return finding{landed, executed(nil)}, nil
	case err != nil:
		return finding{}, err
	}
	return finding{outcome: absent}, nil
}

// tidy: after a lost send it is we who made it absent, as far as anybody can tell.
func (deletion) tidy(answer *platform.Answer, sends uint32) *platform.Answer {
	if sends > 1 {
		delete(answer.Value, "already_absent")
	}
	return answer
}

// change compares the resource with what was to become of it.
type change struct {
	w        *Writer
	r        platform.Request
	retrieve *catalog.Tool
}

func (change) before(context.Context) ([]string, error)                { return nil, nil }
func (change) tidy(answer *platform.Answer, _ uint32) *platform.Answer { return answer }

func (c change) after(ctx context.Context, _ *operationv1.Step) (finding, error) {
	answer, err := c.w.Platform.Do(ctx, about(c.retrieve, c.r))
	switch {
	case problem.Is(err, problem.NoEncontrado):
		return finding{outcome: absent}, nil // gone meanwhile; sent again, the platform says so itself
	case err != nil:
		return finding{}, err
	}
	data, ok := answer.Value["data"].(map[string]any)
	if !ok {
		data = answer.Value
	}
	switch {
	case wantedOf(c.r).shownBy(data):
		return finding{landed, executed(data)}, nil
	case c.r.Tool.Idempotent:
		return finding{outcome: absent}, nil
	}
	return finding{}, nil
}

// about is a request of another tool about the same resource, for the same person.
func about(tool *catalog.Tool, r platform.Request) platform.Request {
	args := map[string]any{}
	for _, param := range tool.Binding.Params {
		if value, known := r.Args[param.Arg]; known && param.In == catalog.Path {
			args[param.Arg] = value
		}
	}
	return platform.Request{Tool: tool, Args: args, Authorization: r.Authorization, CompanyID: r.CompanyID}
}

// executed is an answer in the platform's own shape.
func executed(data map[string]any) *platform.Answer {
	value := map[string]any{"state": "executed"}
	if data != nil {
		value["data"] = data
	}
	return &platform.Answer{Status: http.StatusOK, Value: value}
}
