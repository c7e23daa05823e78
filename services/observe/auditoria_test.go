package observe

import (
	"testing"

	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

func TestAnAuditFilterOfAWrongFormIsRefused(t *testing.T) {
	tool, err := newLedger(host.Deps{}).listOwnAudit()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args  map[string]any
		field string // "": the filter is taken
	}{
		"no filter at all":             {nil, ""},
		"a kind that there is":         {narrowed("tipo", "operacion"), ""},
		"a kind that there is not":     {narrowed("tipo", "llamadas"), "filter.tipo"},
		"a kind in English":            {narrowed("tipo", "call"), "filter.tipo"},
		"a kind beside filter":         {map[string]any{"tipo": "operacion"}, ""},
		"a wrong kind beside filter":   {map[string]any{"tipo": "call"}, "tipo"},
		"a moment":                     {narrowed("desde", "2026-01-31T12:00:00Z"), ""},
		"a moment in words":            {narrowed("desde", "ayer"), "filter.desde"},
		"an end without a time zone":   {narrowed("hasta", "2026-01-31T12:00:00"), "filter.hasta"},
		"a person, who is not theirs":  {narrowed("persona_id", 7), "filter.persona_id"},
		"a cursor, which is no filter": {narrowed("cursor", "12"), "filter.cursor"},
	} {
		t.Run(name, func(t *testing.T) {
			clean, faults := tool.Check(c.args)
			switch {
			case c.field == "" && (len(faults) > 0 || clean == nil):
				t.Errorf("refused: %v", faults)
			case c.field != "" && (len(faults) != 1 || faults[0].Path != c.field):
				t.Errorf("%v does not name %s", faults, c.field)
			}
		})
	}
}

func narrowed(name string, value any) map[string]any {
	return map[string]any{"filter": map[string]any{name: value}}
}

func TestAnAuditSearchThatCannotMatchIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		filter auditFilter
		field  string // "": the filter is taken
	}{
		"no filter at all":                     {auditFilter{}, ""},
		"a moment in words":                    {auditFilter{Since: "ayer"}, "desde"},
		"an end without a time zone":           {auditFilter{Until: "2026-01-31T12:00:00"}, "hasta"},
		"a cursor that no answer ever brought": {auditFilter{Cursor: "abc"}, "cursor"},
		"an area":                              {auditFilter{Area: "storage"}, ""},
		"an area that there is not":            {auditFilter{Area: "stroage"}, "area"},
		"an outcome":                           {auditFilter{Outcome: "sin_permiso"}, ""},
		"any error":                            {auditFilter{Outcome: "error"}, ""},
		"an outcome that there is not":         {auditFilter{Outcome: "denied"}, "resultado"},
		"the words of a refused request":       {auditFilter{Outcome: "Insufficient scope"}, ""},
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

func TestAToolThatThereIsNotIsRefusedWithTheNearest(t *testing.T) {
	l := newLedger(host.Deps{Tools: func() []string { return []string{"ping", "listar_enlaces"} }})
	for _, known := range []string{"ping", "delete_bucket", "create_dns_record", "create_data_stream"} {
		if wrong := l.unknownTool(known); wrong != nil {
			t.Errorf("%s is refused: %v", known, wrong)
		}
	}
	wrong := l.unknownTool("delete_buckets")
	fields, _ := problemFields(wrong)
	if near, _ := wrong.Detail["candidatos"].([]string); fields["herramienta"] == "" || len(near) == 0 || near[0] != "delete_bucket" {
		t.Errorf("%v %v", wrong, wrong.Detail)
	}
}

func problemFields(p *problem.Problem) (map[string]string, bool) {
	if p == nil {
		return nil, false
	}
	fields, ok := p.Detail["fields"].(map[string]string)
	return fields, ok
}
