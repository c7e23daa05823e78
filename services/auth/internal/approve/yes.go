package approve

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/identity"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
)

// Keys signs; *seal.Opener does.
type Keys interface {
	SigningKey() uint32
	Tag(ctx context.Context, data []byte, key uint32) ([]byte, error)
	Check(ctx context.Context, tag, data []byte) error
	Open(ctx context.Context, sealed, binding []byte) ([]byte, error)
	Encrypt(plain, binding []byte) ([]byte, error)
	Decrypt(ctx context.Context, sealed, binding []byte) ([]byte, error)
}

// Yes writes and judges approvals. Only who holds auth's keys can write one, so
// that a record which anybody else put into the store releases no credential.
type Yes struct {
	Keys  Keys
	Tools Tools
	// Awaited is embedded for Open.
	Awaited
}

// give is the person's yes to the operation, with the resource as they saw it.
func (y Yes) give(ctx context.Context, op *operationv1.Operation, person int64, seen []byte, now time.Time) (*operationv1.Approval, error) {
	a := &operationv1.Approval{PersonId: person, At: timestamppb.New(now), Seen: seen}
	var err error
	a.Tag, err = y.Keys.Tag(ctx, approval.Statement(boundOf(op), a), y.Keys.SigningKey())
	return a, err
}

func boundOf(op *operationv1.Operation) approval.Bound {
	return approval.Bound{
		Link: op.GetLinkId(), Operation: op.GetId(), Area: op.GetArea(), Tool: op.GetTool(),
		CallDigest: approval.CallDigest(op),
	}
}

// Needed reports whether the link's person must say yes to each call of the tool,
// by the link as it is now. A tool that auth does not know is taken for the worst.
func (y Yes) Needed(l *link.Record, tool string) bool {
	t, known := y.Tools.Find(tool)
	if !known {
		return true
	}
	return guard.NeedsPerson(&identity.Principal{
		Link: identity.Link{ID: l.ID, Scheme: identity.Bearer}, Scope: identity.Scope{Ask: l.Scope.Ask},
	}, t)
}

// Good reports whether the approval is auth's own, of the link's person, for
// exactly this call, and still good for the step that r asks for.
func (y Yes) Good(ctx context.Context, l *link.Record, r *authv1.ReleaseRequest) (bool, error) {
	a := r.GetApproval()
	b := approval.Bound{
		Link: r.GetLinkId(), Operation: r.GetOperationId(), Area: r.GetArea(), Tool: r.GetTool(), CallDigest: r.GetCallDigest(),
	}
	if a.GetPersonId() != l.PersonID || y.Keys.Check(ctx, a.GetTag(), approval.Statement(b, a)) != nil {
		return false, nil
	}
	return y.advance(ctx, b.Link, b.Operation, b.CallDigest, a.GetAt().AsTime(), r)
}
