package worker

import (
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// judge looks whether the caller's rights of this moment still allow the call
// that the host accepted (contract §6).
func judge(op *operationv1.Operation, p *identity.Principal, tool *catalog.Tool, args map[string]any) error {
	refusal := guard.Allowed(&call.Call{Area: op.GetArea(), Tool: tool, Principal: p, Args: args})
	if refusal == nil {
		return nil // not the typed nil
	}
	return refusal
}

// revoked is the end of an operation whose link was revoked or paused meanwhile.
func revoked(op *operationv1.Operation, refused *identity.Refused) error {
	p := problem.New(problem.SinPermiso, "The person withdrew the permission before the operation could be completed.")
	if operation.Sent(op) {
		p = problem.New(problem.SinPermiso, "The person withdrew the permission after the request was sent to the platform, which may have carried it out.")
	}
	return p.Because(problem.Revocado).Wrap(refused).
		ToDo("Ask the person to connect you again, then look at the resource before you repeat the call.")
}

// credentialLost is the end of an operation whose sealed credential cannot be opened.
func credentialLost(err error) error {
	return problem.New(problem.SinPermiso, "The credential that was kept for this operation cannot be used any more.").
		Because(problem.CredencialInvalida).Wrap(err).
		ToDo("Look at the resource, then call the tool again: a new operation gets a fresh credential.")
}
