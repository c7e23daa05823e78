package consent

import (
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
)

func TestOnlyMoreIsWider(t *testing.T) {
	end := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	acme, other := link.Company{ID: 1, Name: "Acme"}, link.Company{ID: 2, Name: "Other"}
	now := &link.Record{
		Until: end, Companies: []link.Company{acme},
		Scope: &link.Scope{
			Areas: []string{"build", "docs"}, Ask: identity.AskDestructive,
			Resources: map[string]identity.Resources{"application": {IDs: []string{"1", "2"}}},
		},
	}
	some := func(ids ...string) map[string]identity.Resources {
		return map[string]identity.Resources{"application": {IDs: ids}}
	}
	tests := []struct {
		name      string
		to        link.Scope
		companies []link.Company
		until     time.Time
		more      int
	}{
		{"the same", *now.Scope, now.Companies, end, 0},
		{"an area less", link.Scope{Areas: []string{"build"}, Ask: identity.AskDestructive, Resources: some("1", "2")}, now.Companies, end, 0},
		{"read only", link.Scope{Areas: now.Scope.Areas, ReadOnly: true, Ask: identity.AskNever, Resources: some("1", "2")}, now.Companies, end, 0},
		{"asks more often", link.Scope{Areas: now.Scope.Areas, Ask: identity.AskWrites, Resources: some("1", "2")}, now.Companies, end, 0},
		{"one resource less", link.Scope{Areas: now.Scope.Areas, Ask: identity.AskDestructive, Resources: some("2")}, now.Companies, end, 0},
		{"no resource of the kind", link.Scope{Areas: now.Scope.Areas, Ask: identity.AskDestructive, Resources: some()}, now.Companies, end, 0},
		{"one more kind is restricted", link.Scope{Areas: now.Scope.Areas, Ask: identity.AskDestructive, Resources: map[string]identity.Resources{"application": {IDs: []string{"1"}}, "function": {}}}, now.Companies, end, 0},
		{"an earlier end", *now.Scope, now.Companies, end.Add(-time.Hour), 0},
		{"an area more", link.Scope{Areas: []string{"build", "docs", "storage"}, Ask: identity.AskDestructive, Resources: some("1", "2")}, now.Companies, end, 1},
		{"asks less often", link.Scope{Areas: now.Scope.Areas, Ask: identity.AskNever, Resources: some("1", "2")}, now.Companies, end, 1},
		{"another resource instead", link.Scope{Areas: now.Scope.Areas, Ask: identity.AskDestructive, Resources: some("1", "3")}, now.Companies, end, 1},
		{"all resources of the kind", link.Scope{Areas: now.Scope.Areas, Ask: identity.AskDestructive}, now.Companies, end, 1},
		{"a company more", *now.Scope, []link.Company{acme, other}, end, 1},
		{"another company instead", *now.Scope, []link.Company{other}, end, 1},
		{"a later end", *now.Scope, now.Companies, end.Add(time.Second), 1},
		{"an area more and one less", link.Scope{Areas: []string{"build", "storage"}, ReadOnly: true, Ask: identity.AskDestructive, Resources: some("1")}, nil, end, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if more := Wider(now, &test.to, test.companies, test.until); len(more) != test.more {
				t.Errorf("it is wider in %v, want %d things", more, test.more)
			}
		})
	}
	readOnly := *now
	readOnly.Scope = &link.Scope{Areas: []string{"build"}, ReadOnly: true, Ask: identity.AskDestructive}
	if more := Wider(&readOnly, &link.Scope{Areas: []string{"build"}, Ask: identity.AskDestructive}, now.Companies, end); len(more) != 1 {
		t.Errorf("who may write now gets %v", more)
	}
}
