package host

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// approvalRequest is under which name the client is asked to show the page of an
// approval, and answers.
const approvalRequest = "aprobacion"

// maxState bounds what a client brings back as requestState, in bytes.
const maxState = 4 << 10

// inputRequired is the result that asks a client of 2026-07-28 to show its person a
// page and to come back with the state.
type inputRequired struct {
	*modernResult
	InputRequests map[string]any `json:"inputRequests"`
	RequestState  string         `json:"requestState"`
}

// retry is what a client brings back from its person. What it answers decides
// nothing: accept says only that the page was opened.
type retry struct {
	state    string
	declined bool
}

// elicits reports whether the client said that it can show a page to its person.
func (rq *request) elicits() bool {
	var capabilities struct {
		Elicitation struct {
			URL json.RawMessage `json:"url"`
		} `json:"elicitation"`
	}
	return rq.era == modern && json.Unmarshal(rq.message.meta.Capabilities, &capabilities) == nil && isObject(capabilities.Elicitation.URL)
}

// retryOf reads what a call brings back; nil where it is a first one. Answers of
// a shape that nobody knows are none.
func (rq *request) retryOf() *retry {
	var params struct {
		State     string                     `json:"requestState"`
		Responses map[string]json.RawMessage `json:"inputResponses"`
	}
	if rq.era != modern || json.Unmarshal(rq.message.params, &params) != nil || params.State == "" {
		return nil
	}
	var answer struct {
		Action string `json:"action"`
	}
	_ = json.Unmarshal(params.Responses[approvalRequest], &answer)
	return &retry{state: params.State, declined: answer.Action == "decline"}
}

// boundOf is a digest of what a client sends alike both times.
func boundOf(c *call.Call) ([]byte, error) {
	args, err := json.Marshal(c.Args) // with sorted keys
	if err != nil {
		return nil, fmt.Errorf("encode the arguments of %s: %w", c.Tool.Name, err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "comporta request state 1\n%s\n%s\n%d\n%s", c.Area, c.Tool.Name, c.Company.ID, args))
	return sum[:], nil
}

// resumed answers a call that comes back from its person with the operation that
// it began. It stands before idempotency, which would answer whatever the state is.
func (g *Gate) resumed(next call.Handler) call.Handler {
	return func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		back := askedOf(ctx).retry
		if back == nil {
			return next(ctx, c)
		}
		id, err := g.resume(ctx, c, back)
		if err != nil {
			return nil, err
		}
		c.Trace.OperationID, c.Trace.Repeat = id, true
		find := g.wiring.Operations.Get
		if back.declined {
			find = g.wiring.Operations.Cancel
		}
		op, err := find(ctx, c.Principal.Link.ID, id)
		if err != nil {
			return nil, err
		}
		return g.handle(ctx, c, op)
	}
}

func (g *Gate) resume(ctx context.Context, c *call.Call, back *retry) (id string, err error) {
	bound, err := boundOf(c)
	if err != nil {
		return "", err
	}
	err = identity.ErrState
	if len(back.state) <= maxState {
		id, err = g.wiring.Approvals.Resume(ctx, c.Principal.Link.ID, back.state, bound)
	}
	switch {
	case errors.Is(err, identity.ErrState):
		return "", wrongArguments([]catalog.Fault{{Path: "requestState", Said: problem.Sentence{
			Format: "was not given for this call, is too old, or was used before: call %s to find the operation, or make the call without it", Args: []any{toolOperations},
		}}})
	case err != nil:
		return "", problem.New(problem.EstadoInvalido, "Operations cannot be looked up right now.").After(authPause).Wrap(err)
	}
	return id, nil
}

// asks makes the bytes of a result that needs the person first.
func (g *Gate) asks(rq *request, ask *call.Ask) ([]byte, error) {
	out, err := plainJSON(inputRequired{
		modernResult: &modernResult{ResultType: "input_required", Meta: g.resultMeta(rq.profile)},
		InputRequests: map[string]any{approvalRequest: map[string]any{
			"method": "elicitation/create",
			"params": map[string]any{
				"mode": "url", "url": ask.URL,
				"message": "This call needs your approval. Open the page to see what it would do, and decide there within 10 minutes.",
			},
		}},
		RequestState: ask.State,
	})
	if err != nil {
		return nil, fmt.Errorf("encode a result: %w", err)
	}
	return out, nil
}
