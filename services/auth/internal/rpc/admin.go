package rpc

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/identity"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/token"
)

// Admin is what an administrator does with links.
type Admin interface {
	List(ctx context.Context, f link.Filter) (found []*link.Record, more bool, err error)
	Get(ctx context.Context, id string) (*link.Record, error)
	SetState(ctx context.Context, id string, state link.State) error
}

// maxLinks bounds one answer of ListLinks.
const maxLinks = 200

// ListLinks implements authv1.AuthServiceServer.
func (s *Service) ListLinks(ctx context.Context, r *authv1.ListLinksRequest) (*authv1.ListLinksResponse, error) {
	refusal, forbidden, err := s.administrator(ctx, r.GetAuthorization())
	if err != nil {
		return nil, err
	}
	if refusal != authv1.Refusal_REFUSAL_UNSPECIFIED || forbidden {
		return &authv1.ListLinksResponse{Refusal: refusal, Forbidden: forbidden}, nil
	}
	found, more, err := s.Admin.List(ctx, link.Filter{
		PersonID: r.GetPersonId(), State: stateNames[r.GetState()], After: r.GetAfter(),
		Limit: min(max(int(r.GetLimit()), 1), maxLinks),
	})
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	answer := &authv1.ListLinksResponse{More: more}
	for _, record := range found {
		answer.Links = append(answer.Links, infoOf(record, s.Now()))
	}
	return answer, nil
}

// RevokeLink implements authv1.AuthServiceServer.
func (s *Service) RevokeLink(ctx context.Context, r *authv1.RevokeLinkRequest) (*authv1.RevokeLinkResponse, error) {
	refusal, forbidden, err := s.administrator(ctx, r.GetAuthorization())
	if err != nil {
		return nil, err
	}
	if refusal != authv1.Refusal_REFUSAL_UNSPECIFIED || forbidden {
		return &authv1.RevokeLinkResponse{Refusal: refusal, Forbidden: forbidden}, nil
	}
	record, err := s.Admin.Get(ctx, r.GetLinkId())
	if errors.Is(err, link.ErrNone) {
		return &authv1.RevokeLinkResponse{Absent: true}, nil
	}
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	already := record.State == link.Revoked
	if err := s.Admin.SetState(ctx, r.GetLinkId(), link.Revoked); err != nil {
		return nil, unavailable(ctx, err)
	}
	if record, err = s.Admin.Get(ctx, r.GetLinkId()); err != nil {
		return nil, unavailable(ctx, err)
	}
	return &authv1.RevokeLinkResponse{Link: infoOf(record, s.Now()), Already: already}, nil
}

// administrator judges who asks, by their own credential: a host's word is not enough.
func (s *Service) administrator(ctx context.Context, authorization string) (refusal authv1.Refusal, forbidden bool, err error) {
	cred, err := identity.ParseHeader([]string{authorization})
	if err != nil || cred.Scheme != identity.Token {
		return 0, false, status.Error(codes.InvalidArgument, "the request names no administrator")
	}
	owner, err := s.Tokens.Prove(ctx, cred.Value)
	switch {
	case errors.Is(err, token.ErrRefused):
		return authv1.Refusal_REFUSAL_TOKEN, false, nil
	case err != nil:
		return 0, false, unavailable(ctx, err)
	}
	return authv1.Refusal_REFUSAL_UNSPECIFIED, !owner.Person.SystemAdmin, nil
}

var stateNames = map[authv1.LinkState]link.State{
	authv1.LinkState_LINK_STATE_ACTIVE:  link.Active,
	authv1.LinkState_LINK_STATE_PAUSED:  link.Paused,
	authv1.LinkState_LINK_STATE_REVOKED: link.Revoked,
}

func stateOf(s link.State) authv1.LinkState {
	for wire, state := range stateNames {
		if state == s {
			return wire
		}
	}
	return authv1.LinkState_LINK_STATE_UNSPECIFIED
}

// infoOf is a link without anything that could be used.
func infoOf(r *link.Record, now time.Time) *authv1.LinkInfo {
	companies := []*authv1.Company{{Id: r.CompanyID, Name: r.CompanyName}}
	var scope *authv1.Scope
	if r.Scope != nil {
		companies, scope = nil, protoScope(r.Scope)
		for _, c := range r.Companies {
			companies = append(companies, &authv1.Company{Id: c.ID, Name: c.Name})
		}
	}
	return &authv1.LinkInfo{
		Id: r.ID, State: stateOf(r.State),
		Client:       &authv1.Client{Id: r.ClientID, Name: r.ClientName, Verified: r.Verified},
		Person:       &authv1.Person{Id: r.PersonID, Name: r.PersonName, Email: r.Email, SystemAdmin: r.SystemAdmin, ReadOnly: r.ReadOnly},
		Companies:    companies,
		Scope:        scope,
		SessionUntil: timestamp(r.SessionUntil(now)),
		CreatedAt:    timestamp(r.CreatedAt),
		LastUseAt:    timestamp(r.LastUseAt),
		LastAddress:  r.LastAddress,
	}
}

func timestamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
