package approve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/pkg/seal"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// arguments are the call's arguments, and which of them nobody may read.
type arguments struct {
	all    map[string]any // as they would be sent
	shown  map[string]any // with secrets masked
	hidden map[string]bool
}

// arguments opens what the operation would send. The error is for a call that
// cannot be shown, which nobody can approve.
func (h *Handler) arguments(ctx context.Context, op *operationv1.Operation, tool *catalog.Tool) (*arguments, error) {
	all, err := object(op.GetArguments())
	if err != nil {
		return nil, err
	}
	secret, err := h.sealed(ctx, op)
	if err != nil {
		return nil, err
	}
	key, large := secret[operation.PayloadKey].(string)
	delete(secret, operation.PayloadKey)
	maps.Copy(all, secret)
	if large {
		if err := h.addLarge(ctx, op, key, all); err != nil {
			return nil, err
		}
	}
	a := &arguments{all: all, shown: map[string]any{}, hidden: map[string]bool{}}
	masked, _ := answer.Mask(tool.Secrets, all).(map[string]any)
	for name, value := range masked {
		_, wasSealed := secret[name]
		unmasked := reflect.DeepEqual(value, all[name])
		if wasSealed && unmasked { // a credential in a field that is none of the tool's secrets
			value = answer.Redacted
		}
		a.shown[name], a.hidden[name] = value, wasSealed || !unmasked
	}
	return a, nil
}

// sealed are the arguments that the host sealed for auth.
func (h *Handler) sealed(ctx context.Context, op *operationv1.Operation) (map[string]any, error) {
	plain, err := h.Yes.Keys.Open(ctx, op.GetSealed(), seal.ForOperation(op.GetId(), op.GetLinkId()))
	if err != nil {
		return nil, fmt.Errorf("open the arguments of operation %s: %w", op.GetId(), err)
	}
	var content authv1.Sealed
	if err := proto.Unmarshal(plain, &content); err != nil {
		return nil, errors.New("what was sealed cannot be read") // the cause may quote it
	}
	return object(content.GetPayload())
}

func (h *Handler) addLarge(ctx context.Context, op *operationv1.Operation, key string, all map[string]any) error {
	payload, err := h.Operations.Payload(ctx, op, key)
	if err != nil {
		return err
	}
	large, err := object(payload)
	maps.Copy(all, large)
	return err
}

// resource is what a call would change, as the platform shows it to the person.
type resource struct {
	fields map[string]any // shaped: secrets masked, third parties' text wrapped; nil: it is not there
	name   string
	seen   []byte // its digest
}

// lookTime bounds the reading of a resource for a page.
const lookTime = 8 * time.Second

// resource reads it with the person's own credential; nil where the call has none.
func (h *Handler) resource(ctx context.Context, v *visit, tool *catalog.Tool, args map[string]any) (*resource, error) {
	read, with, ok := approval.Resource(tool, h.Yes.Tools.Find, args)
	if !ok {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	request := platform.Request{Tool: read, Args: with, CompanyID: v.op().GetCompanyId()}
	for _, company := range v.session.Companies {
		if company.ID != request.CompanyID {
			continue
		}
		token, err := h.Vault.Open(ctx, v.session.PersonID, company.ID, company.Sealed)
		if err != nil {
			return nil, err
		}
		request.Authorization = "Token " + token
	}
	got, err := h.Platform.Do(ctx, request)
	if problem.Is(err, problem.NoEncontrado) {
		seen, err := approval.Seen(nil)
		return &resource{seen: seen}, err
	}
	if err != nil {
		return nil, err
	}
	found := &resource{fields: answer.Shape(read, got.Value, answer.Page{})}
	if data, ok := found.fields["data"].(map[string]any); ok {
		found.fields = data
	}
	found.name = nameOf(found.fields)
	found.seen, err = approval.Seen(got.Value)
	return found, err
}

// visible reports whether the call changes something that can be looked at.
func (h *Handler) visible(ctx context.Context, v *visit) bool {
	tool, ok := h.Yes.Tools.Find(v.op().GetTool())
	if !ok {
		return true
	}
	args, err := h.arguments(ctx, v.op(), tool)
	if err != nil {
		return true
	}
	_, _, ok = approval.Resource(tool, h.Yes.Tools.Find, args.all)
	return ok
}

func nameOf(fields map[string]any) string {
	for _, field := range []string{"name", "domain", "title", "host"} {
		if name, ok := fields[field].(string); ok && name != "" {
			return name
		}
	}
	return ""
}

func object(data []byte) (map[string]any, error) {
	value := map[string]any{}
	if len(data) == 0 {
		return value, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, errors.New("the arguments cannot be read") // the cause may quote them
	}
	return value, nil
}
