package me

import (
	"context"
	"net/http"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/audit"
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
