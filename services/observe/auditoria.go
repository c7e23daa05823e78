package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/answer"
	records "github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/problem"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// auditFilter is what both tools of the audit let their caller choose.
type auditFilter struct {
	Since   string `json:"desde"`
	Until   string `json:"hasta"`
	Link    string `json:"enlace_id"`
	Area    string `json:"area"`
	Tool    string `json:"herramienta"`
	Outcome string `json:"resultado"`
	Kind    string `json:"tipo"`
	Limit   *int   `json:"limit"`
	Cursor  string `json:"cursor"`
}

// auditArguments is the schema of auditFilter, and of more properties where there are any.
func auditArguments(more string) json.RawMessage {
	kinds := records.KindWords()
	return fmt.Appendf(nil, `{"type": "object", "properties": {
		"desde": {"type": "string", "format": "date-time"},
		"hasta": {"type": "string", "format": "date-time"},
		"enlace_id": {"type": "string"},
		"area": {"type": "string"},
		"herramienta": {"type": "string"},
		"resultado": {"type": "string", "description": "ok, error or a code"},
		"tipo": {"type": "string", "enum": ["%s"]},
		"limit": {"type": "integer"},
		"cursor": {"type": "string"}%s}}`, strings.Join(kinds, `", "`), more)
}

// search is the filter as the audit understands it; person 0 means all.
func (f auditFilter) search(person int64, limit int) (records.Search, *problem.Problem) {
	s := records.Search{LinkID: f.Link, Limit: limit}
	for _, moment := range []struct {
		name, text string
		into       *time.Time
	}{{"desde", f.Since, &s.Since}, {"hasta", f.Until, &s.Until}} {
		if moment.text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, moment.text)
		if err != nil {
			return s, problem.New(problem.ParametroInvalido, "%s must be a moment such as 2026-01-31T12:00:00Z.", moment.name).
				Field(moment.name, problem.Sentence{Format: "must be RFC 3339"})
		}
		*moment.into = at
	}
	if f.Cursor != "" {
		before, err := strconv.ParseUint(f.Cursor, 10, 64)
		if err != nil {
			return s, problem.New(problem.ParametroInvalido, "cursor must be that of an earlier answer.").
				Field("cursor", problem.Sentence{Format: "must be that of an earlier answer"})
		}
		s.Before = before
	}
	if wrong := f.wrongWord(); wrong != nil {
		return s, wrong
	}
	s.Want = func(r *auditv1.Record) bool { return f.wants(r, person) }
	return s, nil
}

func (f auditFilter) wants(r *auditv1.Record, person int64) bool {
	kind := records.KindWord(r.GetKind())
	return (person == 0 || r.GetPersonId() == person) &&
		(f.Area == "" || r.GetArea() == f.Area) &&
		(f.Tool == "" || r.GetTool() == f.Tool) &&
		(f.Kind == kind || f.Kind == "" && r.GetKind() != auditv1.Kind_KIND_INTENT) &&
		(f.Outcome == "" || r.GetOutcome() == f.Outcome || f.Outcome == "error" && r.GetOutcome() != "ok")
}

// page runs the search and shapes its page.
func (l *ledger) page(ctx context.Context, f auditFilter, person int64) (*call.Answer, error) {
	limit, clamped := limitOf(f.Limit)
	search, wrong := f.search(person, limit)
	if wrong != nil {
		return nil, wrong
	}
	page, err := l.Audit.Newest(ctx, search)
	if err != nil {
		return nil, problem.New(problem.EstadoInvalido, "The audit cannot be read right now.").
			ToDo("Wait reintentar_en_segundos and call again.").After(2 * time.Second).Wrap(err)
	}
	if f.Tool != "" && f.Cursor == "" && len(page.Records) == 0 && page.Next == 0 {
		if wrong := l.unknownTool(f.Tool); wrong != nil {
			return nil, wrong
		}
	}
	shown := make([]any, 0, len(page.Records))
	for _, found := range page.Records {
		shown = append(shown, records.View(found.Record))
	}
	next := page.Next
	if n := fitting(shown); n < len(shown) {
		shown, next = shown[:n], page.Records[n-1].Place
	}
	value := map[string]any{"registros": untrusted(shown), "cursor": nil}
	if next > 0 {
		value["cursor"] = strconv.FormatUint(next, 10)
	}
	if clamped != nil {
		value["limit_ajustado"] = clamped
	}
	return &call.Answer{Value: value}, nil
}

// untrusted: arguments and names in the records were chosen by agents.
func untrusted(shown []any) any {
	if len(shown) == 0 {
		return shown
	}
	return answer.Untrusted("the agents whose calls these are", shown)
}
