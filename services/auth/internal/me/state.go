package me

import (
	"context"
	"errors"
	"net/http"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
)

// deeds are what a person does with a link, by the button's value: the state before
// and after, and the audit's word for it.
var deeds = map[string]struct {
	from   []link.State
	to     link.State
	action string
}{
	"pause":  {[]link.State{link.Active}, link.Paused, "link_paused"},
	"resume": {[]link.State{link.Paused}, link.Active, "link_resumed"},
	"revoke": {[]link.State{link.Active, link.Paused}, link.Revoked, "link_revoked"},
}

// Act answers POST /me/links/{id}: pause, let go on, revoke.
func (h *Handler) Act(w http.ResponseWriter, r *http.Request) {
	v := h.visit(w, r)
	if v == nil || !h.posted(w, r, v) {
		return
	}
	l := h.own(w, r, v)
	if l == nil {
		return
	}
	did := r.PostForm.Get("do")
	done, err := h.do(r, v, l, did, "")
	if err != nil {
		h.pages().Down(w, r, err)
		return
	}
	if !done { // a page of before something else was done
		did = "same"
	}
	back := "/me"
	if r.PostForm.Get("from") == "link" {
		back = "/me/links/" + l.ID
	}
	h.to(w, r, v, back, did)
}

// do carries a deed out and writes it down; done is false where the link's state
// left nothing to do. What stops an agent is done first, for nothing may keep a
// person from it, and is in the audit as soon as that can be reached; what lets it
// go on is in the audit before it happens.
func (h *Handler) do(r *http.Request, v *visit, l *link.Record, did, why string) (done bool, err error) {
	deed, known := deeds[did]
	if !known {
		return false, nil
	}
	ctx := context.WithoutCancel(r.Context()) // begun, it is done, whoever waits for the page
	event := h.event(r, v, l, deed.action)
	event.Reason = why
	if did == "resume" && l.State == link.Paused {
		if err := h.Ledger.Person(ctx, event); err != nil {
			return false, err
		}
	}
	_, err = h.Links.Change(ctx, l.ID, func(now *link.Record) error {
		done = false
		for _, from := range deed.from {
			done = done || now.State == from
		}
		if !done {
			return link.ErrUnchanged
		}
		now.State = deed.to
		return nil
	})
	if err != nil || !done || did == "resume" {
		return done, err
	}
	h.Log.InfoContext(ctx, "a person stopped a link", "link", l.ID, "what", deed.action, "person", v.session.PersonID)
	if err := h.Ledger.Person(ctx, event); err != nil {
		h.Log.ErrorContext(ctx, "what a person did with a link is not in the audit", "link", l.ID, "what", deed.action, "error", err)
	}
	return true, nil
}

func (h *Handler) event(r *http.Request, v *visit, l *link.Record, action string) audit.PersonEvent {
	return audit.PersonEvent{
		Action: action, Person: v.session.PersonID, Company: l.CompanyID, Link: l.ID, Address: h.SignIn.Address(r),
	}
}

// Stop answers POST /me/stop: all links at once.
func (h *Handler) Stop(w http.ResponseWriter, r *http.Request) {
	v := h.visit(w, r)
	if v == nil || !h.posted(w, r, v) {
		return
	}
	did := r.PostForm.Get("do")
	if did != "pause" && did != "revoke" {
		h.to(w, r, v, "/me", "")
		return
	}
	links, err := h.Links.OfPerson(r.Context(), v.session.PersonID)
	stopped := false
	for _, l := range links { // each of them, whatever becomes of the others
		if l.State != link.Revoked {
			done, failed := h.do(r, v, l, did, "")
			stopped, err = stopped || done, errors.Join(err, failed)
		}
	}
	if err != nil {
		h.Log.ErrorContext(r.Context(), "not all links were stopped", "person", v.session.PersonID, "error", err)
		h.pages().Fail(w, r, http.StatusServiceUnavailable, page.Problem{
			Title: page.Text("Not all agents were stopped"),
			Text:  page.Text("Some of them could not be reached in the store."),
			ToDo:  page.Text("Go to your agents, look which ones still run, and try again."),
		})
		return
	}
	did += "-all"
	if !stopped {
		did = "same"
	}
	h.to(w, r, v, "/me", did)
}
