package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/identity"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/grant"
	"github.com/comporta-mcp/comporta/services/auth/internal/person"
	"github.com/comporta-mcp/comporta/services/auth/internal/token"
)

// Grants reads access tokens; *grant.Grants does.
type Grants interface {
	Access(ctx context.Context, token identity.Secret) (grant.Access, bool)
}

// Approvals judges a person's yes to one call; approve.Yes does.
type Approvals interface {
	// Needed reports whether the link's person must say yes to each call of the tool.
	Needed(l *link.Record, tool string) bool
	// Good reports whether the approval is auth's own, for exactly this call, and
	// still good for the step that is asked for.
	Good(ctx context.Context, l *link.Record, r *authv1.ReleaseRequest) (bool, error)
	// End notes that the call has ended, so that no approval is good for it any more.
	End(ctx context.Context, link, operation string) error
	// Open notes that a call waits for its person, and gives until when.
	Open(ctx context.Context, link, operation string, digest []byte) (time.Time, error)
	// State seals which operation a client of the link asked about.
	State(link, operation string, bound []byte) (string, error)
	// Resume opens such a state, once; "" where it is of no use.
	Resume(ctx context.Context, link, state string, bound []byte) (operation string, err error)
}

// Vault opens the platform's credentials; vault.Vault does.
type Vault interface {
	Open(ctx context.Context, person, company int64, sealed []byte) (identity.Secret, error)
}

// bearer judges an access token. The link's areas come with REFUSAL_AREA.
func (s *Service) bearer(ctx context.Context, r *authv1.AuthenticateRequest) (*authv1.AuthenticateResponse, error) {
	access, ok := s.Grants.Access(ctx, identity.Secret(r.GetCredential()))
	if !ok { // among them every personal token (contract §3)
		return refuse(authv1.Refusal_REFUSAL_BEARER), nil
	}
	l, err := s.Links.Get(ctx, grant.LinkID(access.Grant))
	if errors.Is(err, link.ErrNone) {
		return refuse(authv1.Refusal_REFUSAL_BEARER), nil
	}
	if err != nil {
		return nil, err
	}
	session, open := l.Session(access.Grant, s.Now())
	switch {
	case open && l.State == link.Paused:
		return refuse(authv1.Refusal_REFUSAL_PAUSED), nil
	case !open || l.State != link.Active || l.Scope == nil:
		return refuse(authv1.Refusal_REFUSAL_BEARER), nil
	case access.Area != "" && access.Area != r.GetArea(), !l.HasArea(r.GetArea()):
		answer := refuse(authv1.Refusal_REFUSAL_AREA)
		answer.Areas = slices.Clone(l.Scope.Areas)
		return answer, nil
	}
	caller, err := s.approvedCaller(ctx, l, l.Companies)
	if err != nil {
		return nil, err
	}
	caller.Link.SessionUntil = timestamppb.New(session.Until)
	s.Links.Used(l, link.Record{LastAddress: r.GetAddress()})
	return &authv1.AuthenticateResponse{Outcome: &authv1.AuthenticateResponse_Caller{Caller: caller}}, nil
}

// approvedCaller is the person of a link in these of its companies.
func (s *Service) approvedCaller(ctx context.Context, l *link.Record, companies []link.Company) (*authv1.Caller, error) {
	caller := &authv1.Caller{
		Link:   &authv1.Link{Id: l.ID, Scheme: authv1.Scheme_SCHEME_BEARER, Version: l.Version},
		Client: &authv1.Client{Id: l.ClientID, Name: l.ClientName, Verified: l.Verified},
		Scope:  protoScope(l.Scope),
	}
	for _, c := range companies {
		credential, err := s.Vault.Open(ctx, l.PersonID, c.ID, c.Sealed)
		if err != nil {
			return nil, err
		}
		caller.Companies = append(caller.Companies, &authv1.Company{Id: c.ID, Name: c.Name, Authorization: "Token " + string(credential)})
		if caller.Person == nil {
			if caller.Person, err = s.personNow(ctx, l, credential); err != nil {
				return nil, err
			}
		}
	}
	if caller.Person == nil {
		return nil, fmt.Errorf("link %s has no company", l.ID)
	}
	return caller, nil
}

// personNow is the link's person with the rights that the platform tells at the
// moment. A credential that it refuses leaves no rights of an administrator; the
// platform's own refusal tells the agent the rest (credencial_invalida).
func (s *Service) personNow(ctx context.Context, l *link.Record, credential identity.Secret) (*authv1.Person, error) {
	p := person.Person{ID: l.PersonID, Name: l.PersonName, Email: l.Email, ReadOnly: l.ReadOnly}
	owner, err := s.Tokens.Prove(ctx, credential)
	switch {
	case errors.Is(err, token.ErrRefused):
	case err != nil:
		return nil, err
	case owner.Person.ID == l.PersonID:
		p = owner.Person
	}
	return &authv1.Person{Id: p.ID, Name: p.Name, Email: p.Email, SystemAdmin: p.SystemAdmin, ReadOnly: p.ReadOnly}, nil
}

func protoScope(s *link.Scope) *authv1.Scope {
	asks := map[identity.Ask]authv1.Ask{
		identity.AskNever:       authv1.Ask_ASK_NEVER,
		identity.AskDestructive: authv1.Ask_ASK_DESTRUCTIVE,
		identity.AskWrites:      authv1.Ask_ASK_WRITES,
	}
	scope := &authv1.Scope{Areas: s.Areas, ReadOnly: s.ReadOnly, Ask: asks[s.Ask], Resources: map[string]*authv1.Resources{}}
	for kind, r := range s.Resources {
		scope.Resources[kind] = &authv1.Resources{All: r.All, Ids: r.IDs}
	}
	return scope
}

// releaseApproved judges afresh whether a link that a person approved may still
// act for an operation. The credential is the one of now, not the sealed one.
func (s *Service) releaseApproved(ctx context.Context, r *authv1.ReleaseRequest, payload []byte) (*authv1.ReleaseResponse, error) {
	l, err := s.Links.Get(ctx, r.GetLinkId())
	if errors.Is(err, link.ErrNone) {
		return withhold(authv1.Refusal_REFUSAL_REVOKED), nil
	}
	if err != nil {
		return nil, err
	}
	until := l.SessionUntil(s.Now())
	company := slices.IndexFunc(l.Companies, func(c link.Company) bool { return c.ID == r.GetCompanyId() })
	switch {
	case l.State != link.Active || l.Scope == nil || until.Equal(time.Time{}) || company < 0:
		return withhold(authv1.Refusal_REFUSAL_REVOKED), nil
	case !l.HasArea(r.GetArea()):
		return withhold(authv1.Refusal_REFUSAL_AREA), nil
	}
	if s.Approvals.Needed(l, r.GetTool()) {
		if good, err := s.Approvals.Good(ctx, l, r); err != nil || !good {
			return withhold(authv1.Refusal_REFUSAL_APPROVAL), err
		}
	}
	caller, err := s.approvedCaller(ctx, l, l.Companies[company:company+1])
	if err != nil {
		return nil, err
	}
	caller.Link.SessionUntil = timestamppb.New(until)
	released := &authv1.Released{Caller: caller, Payload: payload}
	return &authv1.ReleaseResponse{Outcome: &authv1.ReleaseResponse_Released{Released: released}}, nil
}
