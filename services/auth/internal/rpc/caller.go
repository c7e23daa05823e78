package rpc

import (
	"context"
	"errors"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/identity"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/token"
)

// known is a caller whose token and link are good.
type known struct {
	service *Service
	owner   *token.Owner
	link    *link.Record
	token   identity.Secret
	address string
}

// judge says who a personal token belongs to, or why it is refused. The token
// first: an invented one must not reach the links.
func (s *Service) judge(ctx context.Context, t identity.Secret, address string) (*known, authv1.Refusal, error) {
	owner, err := s.Tokens.CheckFrom(ctx, address, t)
	if errors.Is(err, token.ErrRefused) {
		return nil, authv1.Refusal_REFUSAL_TOKEN, nil
	}
	if err != nil {
		return nil, 0, err
	}
	who := &known{service: s, owner: owner, token: t, address: address}
	if who.link, err = s.Links.Ensure(ctx, who.seen()); err != nil {
		return nil, 0, err
	}
	switch who.link.State {
	case link.Active:
		return who, authv1.Refusal_REFUSAL_UNSPECIFIED, nil
	case link.Paused:
		return nil, authv1.Refusal_REFUSAL_PAUSED, nil
	default:
		return nil, authv1.Refusal_REFUSAL_REVOKED, nil
	}
}

// seen is the implicit link as this call shows it.
func (k *known) seen() link.Record {
	p := k.owner.Person
	return link.Record{
		ID:          link.ImplicitID(k.owner.Sum),
		PersonID:    p.ID,
		PersonName:  p.Name,
		Email:       p.Email,
		CompanyID:   p.CompanyID,
		CompanyName: p.CompanyName,
		ClientName:  link.PersonalToken,
		LastAddress: k.address,
	}
}

func (k *known) use() { k.service.Links.Used(k.link, k.seen()) }

// caller is the answer: the rights of the token itself, in its one company.
func (k *known) caller() *authv1.Caller {
	p := k.owner.Person
	return &authv1.Caller{
		Link:   &authv1.Link{Id: k.link.ID, Scheme: authv1.Scheme_SCHEME_TOKEN, Version: k.link.Version},
		Client: &authv1.Client{Name: k.link.ClientName},
		Person: &authv1.Person{Id: p.ID, Name: p.Name, Email: p.Email, SystemAdmin: p.SystemAdmin, ReadOnly: p.ReadOnly},
		Companies: []*authv1.Company{{
			Id:            p.CompanyID,
			Name:          p.CompanyName,
			Authorization: "Token " + string(k.token),
		}},
		Scope: &authv1.Scope{Areas: k.service.Areas, ReadOnly: p.ReadOnly, Ask: authv1.Ask_ASK_NEVER},
	}
}

func (s *Service) hasArea(area string) bool { return slices.Contains(s.Areas, area) }

// unsealed is what a host sealed for an operation.
type unsealed struct {
	token   identity.Secret
	payload []byte
}

func unpack(plain []byte) (unsealed, error) {
	var content authv1.Sealed
	if err := proto.Unmarshal(plain, &content); err != nil {
		return unsealed{}, errors.New("what was sealed cannot be read") // the cause may quote it
	}
	cred, err := identity.ParseHeader([]string{content.GetAuthorization()})
	if err != nil || cred.Scheme != identity.Token {
		return unsealed{}, errors.New("what was sealed holds no personal token")
	}
	return unsealed{token: cred.Value, payload: content.GetPayload()}, nil
}
