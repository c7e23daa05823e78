package host

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// operate stores the call as an operation and answers with its handle. Whoever
// asked to wait gets the whole operation where it ended in time.
func (g *Gate) operate(ctx context.Context, c *call.Call) (*call.Answer, error) {
	if _, err := g.wiring.Platform.Preview(requestFor(c)); err != nil {
		return nil, err // no worker could send it either
	}
	op, closed, err := g.newOperation(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := g.keep(ctx, op, closed); err != nil {
		return nil, err
	}
	return g.submit(ctx, c, op)
}

// keep stores the arguments that no record can hold, if there are any.
func (g *Gate) keep(ctx context.Context, op *operationv1.Operation, closed []byte) error {
	if closed == nil {
		return nil
	}
	return g.wiring.Operations.Keep(context.WithoutCancel(ctx), op, closed)
}

// submit stores a new operation.
func (g *Gate) submit(ctx context.Context, c *call.Call, op *operationv1.Operation) (*call.Answer, error) {
	c.Trace.OperationID = op.GetId()
	// Accepted or not must not depend on when the client hangs up.
	if err := g.wiring.Operations.Submit(context.WithoutCancel(ctx), op); err != nil {
		return nil, err
	}
	return g.handle(ctx, c, op)
}

// handle is what the agent gets of an accepted operation.
func (g *Gate) handle(ctx context.Context, c *call.Call, op *operationv1.Operation) (*call.Answer, error) {
	if c.Wait > 0 {
		// The operation is accepted: that its end could not be awaited changes nothing.
		if later, err := g.wiring.Operations.Wait(ctx, op.GetLinkId(), op.GetId(), c.Wait); err == nil {
			op = later
		}
	}
	view := operation.View(op)
	if operation.Ended(op) {
		return &call.Answer{Value: answer.Shape(bare, view, answer.Page{})}, nil
	}
	handle := map[string]any{}
	for _, key := range []string{"operacion_id", "estado", "fase", "reintentar_en_segundos"} {
		handle[key] = view[key]
	}
	if page := op.GetApproveUrl(); page != "" {
		handle["aprobar_en"] = page
		handle["advertencia"] = problem.Sentence{Format: "Nothing was sent yet. Give the person the page in aprobar_en: they decide there within 10 minutes. Then ask ver_operacion."}.String()
	}
	return &call.Answer{Value: handle}, nil
}

// newOperation makes the record. Secret arguments are not in it in clear: they
// are sealed with the credential, which only auth can open.
func (g *Gate) newOperation(ctx context.Context, c *call.Call) (op *operationv1.Operation, closed []byte, err error) {
	id := c.Reserved
	if id == "" {
		id = operation.NewID(g.wiring.Now())
	}
	public, secret := answer.SplitSecrets(c.Tool, c.Args)
	g.sealCredentials(public, secret, c.Company.Authorization)
	if closed, err = closeLarge(public, secret, id); err != nil {
		return nil, nil, err
	}
	arguments, err := json.Marshal(public)
	if err != nil {
		return nil, nil, fmt.Errorf("encode the arguments of %s: %w", c.Tool.Name, err)
	}
	var payload []byte
	if len(secret) > 0 {
		if payload, err = json.Marshal(secret); err != nil {
			return nil, nil, fmt.Errorf("encode the secret arguments of %s: %w", c.Tool.Name, err)
		}
	}
	sealed, err := g.wiring.Sealer.Seal(ctx, id, c.Principal.Link.ID, c.Company.Authorization, payload)
	if err != nil {
		return nil, nil, problem.New(problem.EstadoInvalido, "Long-running work cannot be accepted right now, so nothing was started.").
			After(authPause).Wrap(err)
	}
	return &operationv1.Operation{
		Version:        1,
		Id:             id,
		LinkId:         c.Principal.Link.ID,
		PersonId:       c.Principal.Person.ID,
		CompanyId:      c.Company.ID,
		Area:           c.Area,
		Tool:           c.Tool.Name,
		Arguments:      arguments,
		Sealed:         sealed,
		State:          operationv1.State_STATE_RUNNING,
		Phase:          operationv1.Phase_PHASE_QUEUED,
		CreatedAt:      timestamppb.New(c.At),
		UpdatedAt:      timestamppb.New(c.At),
		Traceparent:    traceparent(ctx),
		IdempotencyKey: c.IdempotencyKey,
		CallId:         c.ID,
	}, closed, nil
}

// closeLarge takes out the arguments that no record can hold, such as an object's
// content, and closes them with a key of their own, which is sealed with the others.
func closeLarge(public, secret map[string]any, id string) (closed []byte, err error) {
	taken := operation.TakeLarge(public, secret)
	if len(taken) == 0 {
		return nil, nil
	}
	closed, secret[operation.PayloadKey], err = operation.Close(taken, id)
	return closed, err
}

// sealCredentials moves arguments that hold a credential from public to secret,
// whatever field an agent put it into: the caller's own (contract §3), or one that
// is known by its shape, such as a password in an SQL statement or a URL. It must
// not lie in the store in clear.
func (g *Gate) sealCredentials(public, secret map[string]any, authorization identity.Secret) {
	for key, value := range public {
		if anyText(value, func(s string) bool {
			return g.masker.Text(s) != s || string(platform.Scrub([]byte(s), authorization)) != s
		}) {
			secret[key] = value
			delete(public, key)
		}
	}
}

// anyText reports whether a text anywhere in v is one of these.
func anyText(v any, is func(string) bool) bool {
	switch v := v.(type) {
	case string:
		return is(v)
	case map[string]any:
		for key, value := range v {
			if is(key) || anyText(value, is) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(element any) bool { return anyText(element, is) })
	}
	return false
}
