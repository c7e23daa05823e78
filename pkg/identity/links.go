package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
)

// LinkState is whether a link may act; the words are the contract's.
type LinkState string

const (
	LinkActive  LinkState = "activo"
	LinkPaused  LinkState = "pausado"
	LinkRevoked LinkState = "revocado"
)

// LinkInfo is what an administrator may know of a link.
type LinkInfo struct {
	ID           string
	State        LinkState
	Client       Client
	Person       Person
	Companies    []Company // without their credentials
	Scope        *Scope    // nil: the rights of a personal token
	CreatedAt    time.Time
	LastUseAt    time.Time
	LastAddress  string
	SessionUntil time.Time // zero: no end of its own
}

// LinkFilter says which links are wanted; a zero field wants all.
type LinkFilter struct {
	PersonID int64
	State    LinkState
	After    string // a link's id: only those after it
	Limit    int
}

// What ListLinks and RevokeLink may answer beside *Refused.
var (
	ErrNotAdmin = errors.New("only a system administrator may do this")
	ErrNoLink   = errors.New("no such link")
)

var linkStates = map[authv1.LinkState]LinkState{
	authv1.LinkState_LINK_STATE_ACTIVE:  LinkActive,
	authv1.LinkState_LINK_STATE_PAUSED:  LinkPaused,
	authv1.LinkState_LINK_STATE_REVOKED: LinkRevoked,
}

func protoState(s LinkState) authv1.LinkState {
	for wire, state := range linkStates {
		if state == s {
			return wire
		}
	}
	return authv1.LinkState_LINK_STATE_UNSPECIFIED
}

// ListLinks lists links by id for the administrator whose whole platform header
// value this is, and whether there are more.
func (c *AuthClient) ListLinks(ctx context.Context, admin Secret, f LinkFilter) (links []LinkInfo, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answer, err := c.auth.ListLinks(ctx, &authv1.ListLinksRequest{
		Authorization: string(admin), PersonId: f.PersonID, State: protoState(f.State), After: f.After, Limit: int32(f.Limit),
	})
	if err != nil {
		return nil, false, fmt.Errorf("ask auth for the links: %w", err)
	}
	if err := refusedAdmin(answer.GetRefusal(), answer.GetForbidden()); err != nil {
		return nil, false, err
	}
	for _, l := range answer.GetLinks() {
		info, err := linkInfoOf(l)
		if err != nil {
			return nil, false, err
		}
		links = append(links, info)
	}
	return links, answer.GetMore(), nil
}

// RevokeLink revokes a link for ever, and gives it as it is then; already: it had
// been revoked before. Every replica of auth knows within a second.
func (c *AuthClient) RevokeLink(ctx context.Context, admin Secret, id string) (link LinkInfo, already bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answer, err := c.auth.RevokeLink(ctx, &authv1.RevokeLinkRequest{Authorization: string(admin), LinkId: id})
	if err != nil {
		return LinkInfo{}, false, fmt.Errorf("ask auth to revoke link %s: %w", id, err)
	}
	if err := refusedAdmin(answer.GetRefusal(), answer.GetForbidden()); err != nil {
		return LinkInfo{}, false, err
	}
	if answer.GetAbsent() {
		return LinkInfo{}, false, ErrNoLink
	}
	link, err = linkInfoOf(answer.GetLink())
	return link, answer.GetAlready(), err
}

func refusedAdmin(r authv1.Refusal, forbidden bool) error {
	switch {
	case forbidden:
		return ErrNotAdmin
	case r != authv1.Refusal_REFUSAL_UNSPECIFIED:
		return refusedOf(r, nil)
	}
	return nil
}

func linkInfoOf(l *authv1.LinkInfo) (LinkInfo, error) {
	info := LinkInfo{
		ID: l.GetId(), State: linkStates[l.GetState()],
		Client:    Client{ID: l.GetClient().GetId(), Name: l.GetClient().GetName(), Verified: l.GetClient().GetVerified()},
		Person:    personOf(l.GetPerson()),
		Companies: companiesOf(l.GetCompanies()),
		CreatedAt: momentOf(l.GetCreatedAt()), LastUseAt: momentOf(l.GetLastUseAt()),
		LastAddress: l.GetLastAddress(), SessionUntil: momentOf(l.GetSessionUntil()),
	}
	if l.GetScope() == nil {
		return info, nil
	}
	scope, err := scopeOf(l.GetScope())
	if err != nil {
		return LinkInfo{}, fmt.Errorf("link %s: %w", l.GetId(), err)
	}
	info.Scope = &scope
	return info, nil
}

func momentOf(t *timestamppb.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.AsTime()
}
