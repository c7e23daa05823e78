package observe

import (
	"testing"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

func TestAnAuditFilterThatCannotMatchIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		filter auditFilter
		field  string // "": the filter is taken
	}{
		"no filter at all":                     {auditFilter{}, ""},
		"a kind that there is":                 {auditFilter{Kind: "operacion"}, ""},
		"a kind that there is not":             {auditFilter{Kind: "llamadas"}, "tipo"},
		"a kind in English":                    {auditFilter{Kind: "call"}, "tipo"},
		"a moment in words":                    {auditFilter{Since: "ayer"}, "desde"},
		"an end without a time zone":           {auditFilter{Until: "2026-01-31T12:00:00"}, "hasta"},
		"a cursor that no answer ever brought": {auditFilter{Cursor: "abc"}, "cursor"},
	} {
		t.Run(name, func(t *testing.T) {
			_, wrong := c.filter.search(0, 1)
			if c.field == "" {
				if wrong != nil {
					t.Errorf("refused: %v", wrong)
				}
				return
			}
			fields, _ := problemFields(wrong)
			if _, named := fields[c.field]; !named {
				t.Errorf("%v does not name %s", wrong, c.field)
			}
		})
	}
}

func problemFields(p *problem.Problem) (map[string]string, bool) {
	if p == nil {
		return nil, false
	}
	fields, ok := p.Detail["fields"].(map[string]string)
	return fields, ok
}
