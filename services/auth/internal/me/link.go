package me

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/consent"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
)

// latest is how many calls stand on a link's own page.
const latest = 10

// linkView is the page of one link.
type linkView struct {
	Top
	Agent
	Ask      page.Sentence
	Kinds    []KindReach
	Sessions []link.Session
	Marks    []Mark
	Calls    []Call
	CallsURL string
	ScopeURL string // "": it has no scope to change
	Partial  bool
	Missing  bool
	LiveURL  string
}

// KindReach is how far a link reaches among one kind of resources.
type KindReach struct {
	Title page.Sentence
	IDs   []string
}

// Mark is something that the person should know of the link.
type Mark struct {
	At   time.Time
	Says page.Sentence
}

// Link answers GET /me/links/{id}.
func (h *Handler) Link(w http.ResponseWriter, r *http.Request) {
	v := h.visit(w, r)
	if v == nil {
		return
	}
	l := h.own(w, r, v)
	if l == nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), lookTime)
	defer cancel()
	seen, err := h.look(ctx, v)
	if err != nil {
		h.pages().Down(w, r, err)
		return
	}
	found, err := h.Records.Newest(ctx, audit.Search{LinkIDs: []string{l.ID}, Limit: latest, Want: told})
	if err != nil {
		h.Log.WarnContext(ctx, "the calls of a link could not be read", "error", err)
		found, seen.missing = &audit.Page{}, true
	}
	view := linkView{
		Top: h.top(w, r, v, "agents"), Agent: h.agent(v, l, "link"), Partial: !seen.whole, Missing: seen.missing, LiveURL: h.Base + "/me/live",
		CallsURL: h.Base + "/me/calls?" + url.Values{"link": {l.ID}}.Encode(), Sessions: living(l, h.Now()), Marks: marks(l),
		Calls: h.calls(found.Records, nil),
	}
	for i := range view.Calls {
		view.Calls[i].Client = "" // the page has its name above
	}
	h.did(&view.Agent, seen.tallies[l.ID], seen.running[l.ID])
	if l.Scope != nil {
		view.Ask, view.Kinds = askWord(l.Scope), kindsOf(l.Scope)
		if h.editable(l) {
			view.ScopeURL = view.Href + "/scope"
		}
	}
	h.pages().Show(w, r, http.StatusOK, "me-link", view)
}

func living(l *link.Record, now time.Time) []link.Session {
	return slices.DeleteFunc(slices.Clone(l.Sessions), func(s link.Session) bool { return !now.Before(s.Until) })
}

func askWord(s *link.Scope) page.Sentence {
	switch {
	case s.ReadOnly:
		return page.Text("It only reads, so it never has to ask.")
	case s.Ask == identity.AskWrites:
		return page.Text("It asks you before every write.")
	case s.Ask == identity.AskNever:
		return page.Text("It asks you only where the rules say so.")
	default:
		return page.Text("It asks you before calls that destroy.")
	}
}

// kindsOf are the kinds of which not everything is open.
func kindsOf(s *link.Scope) []KindReach {
	var kinds []KindReach
	for kind, r := range s.Resources {
		if !r.All {
			kinds = append(kinds, KindReach{consent.KindTitle(kind), r.IDs})
		}
	}
	slices.SortFunc(kinds, func(a, b KindReach) int { return strings.Compare(a.Title.Format, b.Title.Format) })
	return kinds
}

// marks are the newest first.
func marks(l *link.Record) []Mark {
	var all []Mark
	for _, m := range slices.Backward(l.Marks) {
		says := page.Text("Something unusual happened, and the session was ended.")
		switch m.What {
		case link.MarkRefreshReused:
			says = page.Text("A used refresh token came back, so the session was ended. Somebody may have copied it.")
		case link.MarkCodeReused:
			says = page.Text("A used code came back, so the session was ended. Somebody may have copied it.")
		}
		all = append(all, Mark{m.At, says})
	}
	return all
}
