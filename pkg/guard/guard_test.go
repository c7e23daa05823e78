package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

type named func() (string, error)

func (n named) Name(context.Context, *call.Call) (string, error) { return n() }

var (
	read       = catalog.Tool{Name: "retrieve_ship", Effect: catalog.Read, Root: "ship", RootArg: "ship_id"}
	list       = catalog.Tool{Name: "list_ships", Effect: catalog.Read, Root: "ship"}
	create     = catalog.Tool{Name: "create_ship", Effect: catalog.Write, Root: "ship"}
	change     = catalog.Tool{Name: "update_ship", Effect: catalog.Write, Root: "ship", RootArg: "ship_id"}
	remove     = catalog.Tool{Name: "delete_ship", Effect: catalog.Destructive, Root: "ship", RootArg: "ship_id", Confirm: catalog.ConfirmName, Retrieve: "retrieve_ship"}
	empty      = catalog.Tool{Name: "empty_holds", Effect: catalog.Destructive, Confirm: catalog.ConfirmTrue}
	human      = catalog.Tool{Name: "sink_ship", Effect: catalog.Write, Approval: catalog.HumanApproval}
	undeclared = catalog.Tool{Name: "mystery"}
	admin      = catalog.Tool{Name: "list_tariffs", Effect: catalog.Read, Admin: true}
	never      = catalog.Tool{Name: "create_captain", Effect: catalog.Write, Never: "people choose"}
	elsewhere  = catalog.Tool{Name: "list_zones", Effect: catalog.Read, Root: "zone"}
)

func TestTheGuardSaysNoForAReason(t *testing.T) {
	readOnlyScope := func(p *identity.Principal) { p.Scope.ReadOnly = true }
	readOnlyPerson := func(p *identity.Principal) { p.Person.ReadOnly = true }
	administrator := func(p *identity.Principal) { p.Person.SystemAdmin = true }
	only := func(ids ...string) func(*identity.Principal) {
		return func(p *identity.Principal) {
			p.Scope.Resources = map[string]identity.Resources{"ship": {IDs: ids}}
		}
	}
	type tweak = func(*identity.Principal)
	for name, c := range map[string]struct {
		tool   catalog.Tool
		who    []tweak
		common call.Common
		id     any
		code   problem.Code // "": it runs
		reason string
	}{
		"a read runs":                                  {tool: read, id: json.Number("3")},
		"a write runs":                                 {tool: change, id: json.Number("3")},
		"what no agent may do":                         {tool: never, code: problem.SinPermiso, reason: "nunca"},
		"a write on a read-only link":                  {tool: change, who: []tweak{readOnlyScope}, code: problem.SinPermiso, reason: "solo_lectura"},
		"a write of a person who may only read":        {tool: change, who: []tweak{readOnlyPerson}, code: problem.SinPermiso, reason: "solo_lectura"},
		"a dry run on a read-only link":                {tool: change, who: []tweak{readOnlyScope}, common: call.Common{DryRun: true}, code: problem.SinPermiso, reason: "solo_lectura"},
		"a tool without declaration counts as a write": {tool: undeclared, who: []tweak{readOnlyScope}, code: problem.SinPermiso, reason: "solo_lectura"},
		"a read on a read-only link":                   {tool: read, who: []tweak{readOnlyScope}},
		"an admin's tool for others":                   {tool: admin, code: problem.SinPermiso, reason: "admin"},
		"an admin's tool for an admin":                 {tool: admin, who: []tweak{administrator}},
		"another area":                                 {tool: read, who: []tweak{func(p *identity.Principal) { p.Scope.Areas = []string{"docs"} }}, code: problem.SinPermiso, reason: "alcance"},
		"a resource in the scope":                      {tool: read, who: []tweak{only("3", "4")}, id: json.Number("3")},
		"a resource outside the scope":                 {tool: read, who: []tweak{only("3", "4")}, id: json.Number("34"), code: problem.SinPermiso, reason: "alcance"},
		"a resource by name":                           {tool: read, who: []tweak{only("boa")}, id: "boa"},
		"no resource at all in a narrow scope":         {tool: read, who: []tweak{only("3")}, code: problem.SinPermiso, reason: "alcance"},
		"an empty scope allows nothing":                {tool: read, who: []tweak{only()}, id: json.Number("3"), code: problem.SinPermiso, reason: "alcance"},
		"a list in a narrow scope is filtered later":   {tool: list, who: []tweak{only("3")}},
		"something new in a narrow scope":              {tool: create, who: []tweak{only("3")}, code: problem.SinPermiso, reason: "alcance"},
		"another kind is not restricted":               {tool: elsewhere, who: []tweak{only("3")}},
		"a deletion without the name":                  {tool: remove, id: json.Number("3"), code: problem.Conflicto},
		"a deletion with another name":                 {tool: remove, id: json.Number("3"), common: call.Common{Confirmation: "boa "}, code: problem.Conflicto},
		"a deletion with the name":                     {tool: remove, id: json.Number("3"), common: call.Common{Confirmation: "Boa"}},
		"confirmado does not stand for a name":         {tool: remove, id: json.Number("3"), common: call.Common{Confirmed: true}, code: problem.Conflicto},
		"a dry run of a deletion":                      {tool: remove, id: json.Number("3"), common: call.Common{DryRun: true}},
		"not confirmed":                                {tool: empty, code: problem.Conflicto},
		"confirmed":                                    {tool: empty, common: call.Common{Confirmed: true}},
	} {
		t.Run(name, func(t *testing.T) {
			principal := &identity.Principal{
				Link:  identity.Link{ID: "l", Scheme: identity.Bearer},
				Scope: identity.Scope{Areas: []string{"harbour"}, Ask: identity.AskNever},
			}
			for _, change := range c.who {
				change(principal)
			}
			made := &call.Call{Area: "harbour", Tool: &c.tool, Principal: principal, Common: c.common, Args: map[string]any{}}
			if c.id != nil {
				made.Args["ship_id"] = c.id
			}
			err := run(made, func() (string, error) { return "Boa", nil })
			if c.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if !problem.Is(err, c.code) || problem.As(err).Reason() != c.reason {
				t.Errorf("%v (%s), want %s (%s)", err, problem.As(err).Reason(), c.code, c.reason)
			}
		})
	}
}

var errRan = errors.New("ran twice")

// run sends the call through the guard and gives its refusal.
func run(c *call.Call, name named) error {
	ran := 0
	_, err := guard.Stage(guard.Options{Names: name})(func(context.Context, *call.Call) (*call.Answer, error) {
		ran++
		return &call.Answer{}, nil
	})(context.Background(), c)
	if (ran == 1) != (err == nil) {
		return errRan
	}
	return err
}

func TestWhatCannotBeNamed(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		code problem.Code
	}{
		"what is gone can be harmed no more":    {problem.New(problem.NoEncontrado, "gone"), ""},
		"a platform that is away stops it":      {problem.New(problem.EstadoInvalido, "away"), problem.EstadoInvalido},
		"any other error stops it":              {errors.New("broken"), problem.Interno},
		"a credential that is refused stops it": {problem.New(problem.SinPermiso, "no"), problem.SinPermiso},
	} {
		t.Run(name, func(t *testing.T) {
			made := &call.Call{
				Area: "harbour", Tool: &remove, Args: map[string]any{"ship_id": json.Number("3")}, Common: call.Common{Confirmation: "Boa"},
				Principal: &identity.Principal{Link: identity.Link{Scheme: identity.Token}, Scope: identity.Scope{Areas: []string{"harbour"}}},
			}
			err := run(made, func() (string, error) { return "", c.err })
			if c.code == "" && err != nil || c.code != "" && problem.As(err).Code != c.code {
				t.Error(err)
			}
		})
	}
}

func TestTheNameIsNotLookedUpWithoutAConfirmation(t *testing.T) {
	made := &call.Call{
		Area: "harbour", Tool: &remove, Args: map[string]any{"ship_id": json.Number("3")},
		Principal: &identity.Principal{Scope: identity.Scope{Areas: []string{"harbour"}}},
	}
	err := run(made, func() (string, error) { t.Error("the platform was asked"); return "Boa", nil })
	if !problem.Is(err, problem.Conflicto) {
		t.Error(err)
	}
}

func TestAReadingStatementNeedsNoConfirmation(t *testing.T) {
	query := catalog.Tool{
		Name: "run_sql", Effect: catalog.Destructive, Confirm: catalog.ConfirmTrue,
		Unless: &catalog.Unless{Rule: catalog.SQLRead, Arg: "statements"},
	}
	for statement, asked := range map[string]bool{
		"SELECT * FROM orders":                      false,
		"WITH x AS (SELECT 1) DELETE FROM orders":   true,
		"SELECT 1; DROP TABLE orders":               true,
		"what is no SQL at all":                     true,
		"SELECT load_extension('/tmp/anything.so')": true,
	} {
		made := &call.Call{
			Area: "harbour", Tool: &query, Args: map[string]any{"statements": []any{statement}},
			Principal: &identity.Principal{Link: identity.Link{Scheme: identity.Token}, Scope: identity.Scope{Areas: []string{"harbour"}}},
		}
		err := run(made, func() (string, error) { return "", nil })
		if refused := problem.Is(err, problem.Conflicto); refused != asked || err != nil && !asked {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

func TestWhoseYesACallNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		tool   catalog.Tool
		scheme identity.Scheme
		ask    identity.Ask
		want   bool
	}{
		"what a person must always agree to":               {human, identity.Bearer, identity.AskNever, true},
		"a personal token is the person":                   {human, identity.Token, identity.AskWrites, false},
		"a link that never asks":                           {empty, identity.Bearer, identity.AskNever, false},
		"a link that asks before writes":                   {change, identity.Bearer, identity.AskWrites, true},
		"a link that asks before writes reads":             {read, identity.Bearer, identity.AskWrites, false},
		"a link that asks before destruction writes":       {change, identity.Bearer, identity.AskDestructive, false},
		"a link that asks before destruction destroys":     {empty, identity.Bearer, identity.AskDestructive, true},
		"a tool without declaration counts as destructive": {undeclared, identity.Bearer, identity.AskDestructive, true},
	} {
		t.Run(name, func(t *testing.T) {
			who := &identity.Principal{Link: identity.Link{Scheme: c.scheme}, Scope: identity.Scope{Ask: c.ask}}
			if got := guard.NeedsPerson(who, &c.tool); got != c.want {
				t.Errorf("needs a person: %t", got)
			}
		})
	}
}
