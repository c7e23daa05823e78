package identity

import (
	"errors"
	"fmt"
	"slices"

	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
)

// principalOf turns auth's answer into a Principal. What is missing is an
// error, never a wider right.
func principalOf(c *authv1.Caller) (*Principal, error) {
	switch {
	case c.GetLink().GetId() == "":
		return nil, errors.New("auth answered a caller without a link")
	case c.GetPerson() == nil:
		return nil, errors.New("auth answered a caller without a person")
	case len(c.GetCompanies()) == 0:
		return nil, errors.New("auth answered a caller without a company")
	case c.GetScope() == nil:
		return nil, errors.New("auth answered a caller without a scope")
	}
	link, err := linkOf(c.GetLink())
	if err != nil {
		return nil, err
	}
	scope, err := scopeOf(c.GetScope())
	if err != nil {
		return nil, err
	}
	return &Principal{
		Link:      link,
		Client:    Client{ID: c.GetClient().GetId(), Name: c.GetClient().GetName(), Verified: c.GetClient().GetVerified()},
		Person:    personOf(c.GetPerson()),
		Companies: companiesOf(c.GetCompanies()),
		Scope:     scope,
	}, nil
}

func linkOf(l *authv1.Link) (Link, error) {
	link := Link{ID: l.GetId(), Version: l.GetVersion()}
	switch l.GetScheme() {
	case authv1.Scheme_SCHEME_TOKEN:
		link.Scheme = Token
	case authv1.Scheme_SCHEME_BEARER:
		link.Scheme = Bearer
	default:
		return Link{}, fmt.Errorf("auth answered a link with the scheme %v", l.GetScheme())
	}
	if until := l.GetSessionUntil(); until != nil {
		link.SessionUntil = until.AsTime()
	}
	return link, nil
}

func personOf(p *authv1.Person) Person {
	return Person{
		ID:          p.GetId(),
		Name:        p.GetName(),
		Email:       p.GetEmail(),
		SystemAdmin: p.GetSystemAdmin(),
		ReadOnly:    p.GetReadOnly(),
	}
}

func companiesOf(list []*authv1.Company) []Company {
	companies := make([]Company, len(list))
	for i, c := range list {
		companies[i] = Company{ID: c.GetId(), Name: c.GetName(), Authorization: Secret(c.GetAuthorization())}
	}
	return companies
}

func scopeOf(s *authv1.Scope) (Scope, error) {
	asks := map[authv1.Ask]Ask{
		authv1.Ask_ASK_NEVER:       AskNever,
		authv1.Ask_ASK_DESTRUCTIVE: AskDestructive,
		authv1.Ask_ASK_WRITES:      AskWrites,
	}
	ask, known := asks[s.GetAsk()]
	if !known {
		return Scope{}, fmt.Errorf("auth answered a scope that asks %v", s.GetAsk())
	}
	scope := Scope{
		Areas:     slices.Clone(s.GetAreas()),
		ReadOnly:  s.GetReadOnly(),
		Ask:       ask,
		Resources: make(map[string]Resources, len(s.GetResources())),
	}
	for kind, r := range s.GetResources() {
		scope.Resources[kind] = Resources{All: r.GetAll(), IDs: slices.Clone(r.GetIds())}
	}
	return scope, nil
}

// refusedOf gives auth's refusal as an error.
func refusedOf(r authv1.Refusal, areas []string) error {
	kinds := map[authv1.Refusal]RefusalKind{
		authv1.Refusal_REFUSAL_TOKEN:   RefusedToken,
		authv1.Refusal_REFUSAL_BEARER:  RefusedBearer,
		authv1.Refusal_REFUSAL_AREA:    RefusedArea,
		authv1.Refusal_REFUSAL_REVOKED: RefusedRevoked,
		authv1.Refusal_REFUSAL_PAUSED:  RefusedPaused,

		authv1.Refusal_REFUSAL_APPROVAL: RefusedApproval,
	}
	kind, known := kinds[r]
	if !known {
		return fmt.Errorf("auth refused for the unknown reason %v", r)
	}
	return &Refused{Kind: kind, Areas: areas}
}

// protoScheme is the wire's word for a scheme.
func protoScheme(s Scheme) authv1.Scheme {
	switch s {
	case Token:
		return authv1.Scheme_SCHEME_TOKEN
	case Bearer:
		return authv1.Scheme_SCHEME_BEARER
	default:
		return authv1.Scheme_SCHEME_UNSPECIFIED
	}
}
