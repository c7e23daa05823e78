package me

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/problem"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/activity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
)

// callsView is the page of the audit: of the own links, or of all.
type callsView struct {
	Top
	Filter   filter
	Fault    *page.Sentence
	Links    []LinkOption // empty for an administrator, who gives an id
	Areas    []Option
	Outcomes []Option
	Calls    []Call
	Action   string
	Older    string // URL of the next page
	Newest   string // URL of the first page, on a later one
	CSV      string
	JSON     string
	Most     int // records in one file
}

// LinkOption is a link that the calls can be of.
type LinkOption struct {
	ID, Name string
	Chosen   bool
}

// Call is a record as a person reads it.
type Call struct {
	At                 time.Time
	Client, LinkURL    string
	Area, Tool         string
	Says               page.Sentence
	Bad                bool
	Deed               bool // a person did it, on a page
	Reason             string
	Status             int32
	Milliseconds       int64
	Operation, Address string
	Count              uint32
	Arguments          string
	DryRun, Repeat     bool
}

// onPage is how many records stand on a page.
const onPage = 50

// Calls answers GET /me/calls: what one's agents did.
func (h *Handler) Calls(w http.ResponseWriter, r *http.Request) {
	if v := h.visit(w, r); v != nil {
		h.showCalls(w, r, v, false)
	}
}

// AllCalls answers GET /me/all/calls: what all agents did, for administrators.
func (h *Handler) AllCalls(w http.ResponseWriter, r *http.Request) {
	if v := h.administrator(w, r); v != nil {
		h.showCalls(w, r, v, true)
	}
}

func (h *Handler) showCalls(w http.ResponseWriter, r *http.Request, v *visit, all bool) {
	ctx, cancel := context.WithTimeout(r.Context(), lookTime)
	defer cancel()
	f, fault := readFilter(r.URL.Query())
	within, links, err := h.within(ctx, v, f, all)
	if err != nil {
		h.pages().Down(w, r, err)
		return
	}
	found := &audit.Page{}
	if fault == nil && !within.none {
		found, err = h.Records.Newest(ctx, audit.Search{
			LinkIDs: within.links, Since: f.since(), Until: f.until(), Before: f.Before, Limit: onPage, Want: f.wants,
		})
	}
	if err != nil {
		h.pages().Down(w, r, err)
		return
	}
	tab, path := "calls", h.Base+"/me/calls"
	if all {
		tab, path = "all-calls", h.Base+"/me/all/calls"
	}
	view := callsView{
		Top: h.top(w, r, v, tab), Filter: f, Fault: fault, Action: path, Most: maxRows, Calls: h.calls(found.Records, links),
		CSV: path + ".csv" + f.query(0), JSON: path + ".jsonl" + f.query(0),
		Areas: options(append([]string{""}, h.Areas...), f.Area), Outcomes: outcomes(f.Outcome),
	}
	if !all {
		for _, l := range links {
			view.Links = append(view.Links, LinkOption{l.ID, nameOf(l), l.ID == f.Link})
		}
	}
	if found.Next > 0 {
		view.Older = path + f.query(found.Next)
	}
	if f.Before > 0 {
		view.Newest = path + f.query(0)
	}
	status := http.StatusOK
	if fault != nil {
		status = http.StatusUnprocessableEntity
	}
	h.pages().Show(w, r, status, "me-calls", view)
}

func nameOf(l *link.Record) string {
	name := l.ClientName
	if link.Implicit(l.ID) {
		name += " · " + l.CompanyName
	}
	return name
}

// within says among whose records a search looks: an administrator's among all.
type within struct {
	links []string // none: all links
	none  bool     // among nobody's
}

func (h *Handler) within(ctx context.Context, v *visit, f filter, all bool) (within, []*link.Record, error) {
	if all {
		if f.Link == "" {
			return within{}, nil, nil
		}
		return within{links: []string{f.Link}}, nil, nil
	}
	links, err := h.Links.OfPerson(ctx, v.session.PersonID)
	ids, _ := idsOf(links)
	if f.Link != "" {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id != f.Link })
	}
	return within{links: ids, none: len(ids) == 0}, links, err
}

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

// calls are records for a page; a link that is known gives its client's name.
func (h *Handler) calls(found []audit.Found, links []*link.Record) []Call {
	var all []Call
	for _, f := range found {
		r := f.Record
		c := Call{
			At: r.GetAt().AsTime(), Client: r.GetClientName(), Area: r.GetArea(), Tool: r.GetTool(), Reason: r.GetReason(),
			Status: r.GetUpstreamStatus(), Milliseconds: r.GetDurationMs(), Operation: r.GetOperationId(), Address: r.GetAddress(),
			Count: r.GetCount(), Arguments: indented(r.GetArguments()), DryRun: r.GetDryRun(), Repeat: r.GetRepeat(),
		}
		if i := slices.IndexFunc(links, func(l *link.Record) bool { return l.ID == r.GetLinkId() }); i >= 0 {
			c.Client, c.LinkURL = cmp.Or(c.Client, links[i].ClientName), h.Base+"/me/links/"+r.GetLinkId()
		}
		switch r.GetKind() {
		case auditv1.Kind_KIND_PERSON:
			c.Deed, c.Says = true, deedWord(r.GetAction())
		case auditv1.Kind_KIND_OPERATION:
			c.Says, c.Bad = operationWord(r.GetOutcome())
		default:
			c.Says, c.Bad = outcome(r.GetOutcome(), r.GetOperationId() != "")
		}
		all = append(all, c)
	}
	return all
}

// operationWord says how long work ended.
func operationWord(code string) (page.Sentence, bool) {
	switch code {
	case "ok":
		return page.Text("ended well"), false
	case string(problem.SinPermiso):
		return page.Text("ended: refused"), true
	default:
		return page.Text("ended badly"), true
	}
}

// deedWord is what a person did, in their words.
func deedWord(action string) page.Sentence {
	switch action {
	case "link_paused":
		return page.Text("a person paused it")
	case "link_resumed":
		return page.Text("a person let it go on")
	case "link_revoked":
		return page.Text("a person revoked it")
	case "link_narrowed":
		return page.Text("a person took something away from it")
	case "link_widened":
		return page.Text("a person gave it more")
	case "secret_taken":
		return page.Text("a person saw a secret")
	default:
		return page.Text("%s", action)
	}
}

// indented is JSON for reading; "" where there is nothing in it.
func indented(data []byte) string {
	var out bytes.Buffer
	if bytes.Equal(data, []byte("{}")) || json.Indent(&out, data, "", "  ") != nil {
		return ""
	}
	return out.String()
}
