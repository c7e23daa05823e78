package me

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/activity"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
)

// filter is what a person looks for.
type filter struct {
	Link, Area, Tool, Outcome string
	From, To                  string // days
	Before                    uint64 // a place in the audit: only what is older
	from, to                  time.Time
}

const dayForm = "2006-01-02"

// readFilter reads the query; fault says what of it cannot be understood.
func readFilter(query url.Values) (f filter, fault *page.Sentence) {
	text := func(name string) string {
		value := strings.TrimSpace(query.Get(name))
		return value[:min(len(value), 128)]
	}
	f = filter{Link: text("link"), Area: text("area"), Tool: text("tool"), Outcome: text("outcome"), From: text("from"), To: text("to")}
	for _, d := range []struct {
		text string
		into *time.Time
	}{{f.From, &f.from}, {f.To, &f.to}} {
		if d.text == "" {
			continue
		}
		at, err := time.Parse(dayForm, d.text)
		if err != nil {
			wrong := page.Text("Write a day as year, month and day, such as 2026-01-31.")
			fault = &wrong
		}
		*d.into = at
	}
	f.Before, _ = strconv.ParseUint(query.Get("before"), 10, 64) // nonsense is the first page
	return f, fault
}

func (f filter) since() time.Time { return f.from }

// until is the last moment of the day; zero for no bound.
func (f filter) until() time.Time {
	if f.to.IsZero() {
		return time.Time{}
	}
	return f.to.AddDate(0, 0, 1).Add(-time.Nanosecond)
}

// query is the filter as the query of a URL, from a place in the audit on.
func (f filter) query(before uint64) string {
	query := url.Values{}
	for name, value := range map[string]string{"link": f.Link, "area": f.Area, "tool": f.Tool, "outcome": f.Outcome, "from": f.From, "to": f.To} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if before > 0 {
		query.Set("before", strconv.FormatUint(before, 10))
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

// told: an intent's outcome tells the same and more.
func told(r *auditv1.Record) bool { return r.GetKind() != auditv1.Kind_KIND_INTENT }

func (f filter) wants(r *auditv1.Record) bool {
	return told(r) && (f.Area == "" || r.GetArea() == f.Area) && (f.Tool == "" || r.GetTool() == f.Tool) && f.wantsOutcome(r)
}

func (f filter) wantsOutcome(r *auditv1.Record) bool {
	switch f.Outcome {
	case "ok":
		return r.GetOutcome() == "ok"
	case "refused":
		return activity.Refused(r)
	case "error":
		return r.GetOutcome() != "ok" && !activity.Refused(r)
	default:
		return true
	}
}

func options(values []string, chosen string) []Option {
	var all []Option
	for _, value := range values {
		says := page.Text("%s", value)
		if value == "" {
			says = page.Text("any")
		}
		all = append(all, Option{value, says, value == chosen})
	}
	return all
}

func outcomes(chosen string) []Option {
	return []Option{
		{"", page.Text("any"), chosen == ""},
		{"ok", page.Text("done"), chosen == "ok"},
		{"refused", page.Text("refused"), chosen == "refused"},
		{"error", page.Text("failed"), chosen == "error"},
	}
}
