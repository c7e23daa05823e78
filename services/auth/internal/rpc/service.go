// Package rpc answers auth's gRPC service: it puts the judgements of the other
// packages together and turns their errors into answers and codes. A no is an
// answer; an error means that nobody could be asked.
package rpc

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/seal"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/approve"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/token"
)

// Tokens judges personal tokens. The error is token.ErrRefused, or another one
// when the platform cannot be asked.
type Tokens interface {
	Check(ctx context.Context, t identity.Secret) (*token.Owner, error)
	// CheckFrom is Check for a token that came from a network address.
	CheckFrom(ctx context.Context, address string, t identity.Secret) (*token.Owner, error)
	// Prove is Check also where agents may not use personal tokens.
	Prove(ctx context.Context, t identity.Secret) (*token.Owner, error)
}

// Links gives links as they are now. An error other than link.ErrNone means that
// nobody can be sure of the link's state.
type Links interface {
	Get(ctx context.Context, id string) (*link.Record, error)
	Ensure(ctx context.Context, fresh link.Record) (*link.Record, error)
	Used(record *link.Record, seen link.Record)
}

// Keys opens what hosts sealed. The error of Open is seal.ErrCannotOpen, or
// another one when newer keys could not be looked for.
type Keys interface {
	Public() []byte
	Open(ctx context.Context, sealed, binding []byte) ([]byte, error)
}

// Service implements authv1.AuthServiceServer.
type Service struct {
	authv1.UnimplementedAuthServiceServer
	Approvals Approvals
	Tokens    Tokens
	Links     Links
	Admin     Admin
	Keys      Keys
	Grants    Grants
	Vault     Vault
	Now       func() time.Time
	Areas     []string // every area there is: the scope of a personal token
	Pages     string   // base URL of the pages for people
	Metrics   *Metrics
}

// Authenticate implements authv1.AuthServiceServer.
func (s *Service) Authenticate(ctx context.Context, r *authv1.AuthenticateRequest) (*authv1.AuthenticateResponse, error) {
	answer, err := s.authenticate(ctx, r)
	s.Metrics.checked("authenticate", r.GetScheme(), answer.GetRefusal(), err)
	return answer, err
}

func (s *Service) authenticate(ctx context.Context, r *authv1.AuthenticateRequest) (*authv1.AuthenticateResponse, error) {
	switch r.GetScheme() {
	case authv1.Scheme_SCHEME_TOKEN:
	case authv1.Scheme_SCHEME_BEARER:
		answer, err := s.bearer(ctx, r)
		if err != nil {
			return nil, unavailable(ctx, err)
		}
		return answer, nil
	default:
		return nil, status.Error(codes.InvalidArgument, "no scheme is named")
	}
	who, refusal, err := s.judge(ctx, identity.Secret(r.GetCredential()), r.GetAddress())
	switch {
	case err != nil:
		return nil, unavailable(ctx, err)
	case refusal == authv1.Refusal_REFUSAL_REVOKED:
		return refuse(authv1.Refusal_REFUSAL_TOKEN), nil // to its user it is one more token that is not valid
	case refusal != authv1.Refusal_REFUSAL_UNSPECIFIED:
		return refuse(refusal), nil
	case !s.hasArea(r.GetArea()):
		answer := refuse(authv1.Refusal_REFUSAL_AREA)
		answer.Areas = s.Areas
		return answer, nil
	}
	who.use()
	return &authv1.AuthenticateResponse{Outcome: &authv1.AuthenticateResponse_Caller{Caller: who.caller()}}, nil
}

// SealingKey implements authv1.AuthServiceServer.
func (s *Service) SealingKey(context.Context, *authv1.SealingKeyRequest) (*authv1.SealingKeyResponse, error) {
	return &authv1.SealingKeyResponse{PublicKeyset: s.Keys.Public(), PagesUrl: s.Pages}, nil
}

// Release implements authv1.AuthServiceServer.
func (s *Service) Release(ctx context.Context, r *authv1.ReleaseRequest) (*authv1.ReleaseResponse, error) {
	answer, err := s.release(ctx, r)
	scheme := authv1.Scheme_SCHEME_BEARER
	if link.Implicit(r.GetLinkId()) {
		scheme = authv1.Scheme_SCHEME_TOKEN
	}
	s.Metrics.checked("release", scheme, answer.GetRefusal(), err)
	return answer, err
}

// Await implements authv1.AuthServiceServer.
func (s *Service) Await(ctx context.Context, r *authv1.AwaitRequest) (*authv1.AwaitResponse, error) {
	until, err := s.Approvals.Open(ctx, r.GetLinkId(), r.GetOperationId(), r.GetCallDigest())
	switch {
	case errors.Is(err, approve.ErrOtherCall):
		return nil, status.Error(codes.AlreadyExists, err.Error())
	case err != nil:
		return nil, unavailable(ctx, err)
	}
	answer := &authv1.AwaitResponse{Until: timestamppb.New(until)}
	if len(r.GetBound()) > 0 {
		if answer.State, err = s.Approvals.State(r.GetLinkId(), r.GetOperationId(), r.GetBound()); err != nil {
			return nil, unavailable(ctx, err)
		}
	}
	return answer, nil
}

// Resume implements authv1.AuthServiceServer.
func (s *Service) Resume(ctx context.Context, r *authv1.ResumeRequest) (*authv1.ResumeResponse, error) {
	id, err := s.Approvals.Resume(ctx, r.GetLinkId(), r.GetState(), r.GetBound())
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	return &authv1.ResumeResponse{OperationId: id}, nil
}

func (s *Service) release(ctx context.Context, r *authv1.ReleaseRequest) (*authv1.ReleaseResponse, error) {
	if r.GetStep() == authv1.ApprovedStep_APPROVED_STEP_ENDED { // what was sealed is not kept any more
		if err := s.Approvals.End(ctx, r.GetLinkId(), r.GetOperationId()); err != nil {
			return nil, unavailable(ctx, err)
		}
		return &authv1.ReleaseResponse{}, nil
	}
	plain, err := s.Keys.Open(ctx, r.GetSealed(), seal.ForOperation(r.GetOperationId(), r.GetLinkId()))
	if errors.Is(err, seal.ErrCannotOpen) {
		return nil, cannotOpen
	}
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	held, err := unpack(plain)
	if err != nil {
		return nil, cannotOpen
	}
	if !link.Implicit(r.GetLinkId()) {
		answer, err := s.releaseApproved(ctx, r, held.payload)
		if err != nil {
			return nil, unavailable(ctx, err)
		}
		return answer, nil
	}
	who, refusal, err := s.judge(ctx, held.token, "")
	switch {
	case err != nil:
		return nil, unavailable(ctx, err)
	case refusal == authv1.Refusal_REFUSAL_PAUSED:
		return withhold(authv1.Refusal_REFUSAL_REVOKED), nil // an operation does not wait for its person's second thoughts
	case refusal != authv1.Refusal_REFUSAL_UNSPECIFIED:
		return withhold(refusal), nil
	case who.link.ID != r.GetLinkId() || who.owner.Person.CompanyID != r.GetCompanyId():
		// The credential is good, but not for this link in this company.
		return withhold(authv1.Refusal_REFUSAL_REVOKED), nil
	case !s.hasArea(r.GetArea()):
		return withhold(authv1.Refusal_REFUSAL_AREA), nil
	}
	released := &authv1.Released{Caller: who.caller(), Payload: held.payload}
	return &authv1.ReleaseResponse{Outcome: &authv1.ReleaseResponse_Released{Released: released}}, nil
}

func refuse(r authv1.Refusal) *authv1.AuthenticateResponse {
	return &authv1.AuthenticateResponse{Outcome: &authv1.AuthenticateResponse_Refusal{Refusal: r}}
}

func withhold(r authv1.Refusal) *authv1.ReleaseResponse {
	return &authv1.ReleaseResponse{Outcome: &authv1.ReleaseResponse_Refusal{Refusal: r}}
}
