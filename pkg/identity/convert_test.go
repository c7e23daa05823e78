package identity

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
)

func caller() *authv1.Caller {
	return &authv1.Caller{
		Link: &authv1.Link{
			Id: "01LINK", Scheme: authv1.Scheme_SCHEME_BEARER, Version: 4,
			SessionUntil: timestamppb.New(time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)),
		},
		Client: &authv1.Client{Id: "c1", Name: "Agent", Verified: true},
		Person: &authv1.Person{Id: 7, Name: "Ana", Email: "ana@example.com", SystemAdmin: true, ReadOnly: true},
		Companies: []*authv1.Company{
			{Id: 1, Name: "One", Authorization: "Token a"},
			{Id: 2, Name: "Two", Authorization: "Token b"},
		},
		Scope: &authv1.Scope{
			Areas: []string{"build"}, ReadOnly: true, Ask: authv1.Ask_ASK_WRITES,
			Resources: map[string]*authv1.Resources{"application": {Ids: []string{"1"}}, "bucket": {All: true}},
		},
	}
}

func TestEveryFieldOfACallerArrives(t *testing.T) {
	want := &Principal{
		Link:   Link{ID: "01LINK", Scheme: Bearer, Version: 4, SessionUntil: time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)},
		Client: Client{ID: "c1", Name: "Agent", Verified: true},
		Person: Person{ID: 7, Name: "Ana", Email: "ana@example.com", SystemAdmin: true, ReadOnly: true},
		Companies: []Company{
			{ID: 1, Name: "One", Authorization: "Token a"},
			{ID: 2, Name: "Two", Authorization: "Token b"},
		},
		Scope: Scope{
			Areas: []string{"build"}, ReadOnly: true, Ask: AskWrites,
			Resources: map[string]Resources{"application": {IDs: []string{"1"}}, "bucket": {All: true}},
		},
	}
	got, err := principalOf(caller())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b Secret) bool { return a == b })); diff != "" {
		t.Errorf("principal (-want +got):\n%s", diff)
	}
}

// TestACallerWithSomethingMissingIsNoCaller: what is missing must never widen a right.
func TestACallerWithSomethingMissingIsNoCaller(t *testing.T) {
	tests := map[string]func(*authv1.Caller){
		"without a link":         func(c *authv1.Caller) { c.Link = nil },
		"without a link's id":    func(c *authv1.Caller) { c.Link.Id = "" },
		"without a scheme":       func(c *authv1.Caller) { c.Link.Scheme = 0 },
		"with an unknown scheme": func(c *authv1.Caller) { c.Link.Scheme = 9 },
		"without a person":       func(c *authv1.Caller) { c.Person = nil },
		"without a company":      func(c *authv1.Caller) { c.Companies = nil },
		"without a scope":        func(c *authv1.Caller) { c.Scope = nil },
		"without when to ask":    func(c *authv1.Caller) { c.Scope.Ask = 0 },
		"with an unknown ask":    func(c *authv1.Caller) { c.Scope.Ask = 9 },
	}
	for name, harm := range tests {
		t.Run(name, func(t *testing.T) {
			c := proto.CloneOf(caller())
			harm(c)
			if p, err := principalOf(c); err == nil || p != nil {
				t.Errorf("it became %+v, %v", p, err)
			}
		})
	}
}

func TestARefusalThatIsUnknownIsNoRefusal(t *testing.T) {
	for _, refusal := range []authv1.Refusal{0, 99} {
		if _, refused := errors.AsType[*Refused](refusedOf(refusal, nil)); refused {
			t.Errorf("refusal %d became a refusal", refusal)
		}
	}
}
