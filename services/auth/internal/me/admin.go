package me

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
)

// askTime bounds how long a page waits for the platform to say who is an administrator.
const askTime = time.Second

// isAdmin asks the platform, as for each administrator's call: who was one yesterday
// may be none today. While it cannot be asked, nobody is.
func (h *Handler) isAdmin(ctx context.Context, s *signin.Session) bool {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	for _, company := range s.Companies {
		credential, err := h.Vault.Open(ctx, s.PersonID, company.ID, company.Sealed)
		if err != nil {
			h.Log.WarnContext(ctx, "a session's credential cannot be opened", "error", err)
			continue
		}
		owner, err := h.Tokens.Prove(ctx, credential)
		if err == nil && owner.Person.ID == s.PersonID {
			return owner.Person.SystemAdmin
		}
	}
	return false
}

// administrator is visit for an administrator's page. Where it gives nil, it has answered.
func (h *Handler) administrator(w http.ResponseWriter, r *http.Request) *visit {
	v := h.visit(w, r)
	if v == nil || h.isAdmin(r.Context(), v.session) {
		return v
	}
	h.pages().Fail(w, r, http.StatusForbidden, page.Problem{
		Title: page.Text("This page is for administrators"),
		Text:  page.Text("The platform does not say that you are a system administrator."),
		ToDo:  page.Text("Go to your own agents instead."),
	})
	return nil
}

// perPage is how many links stand on a page.
const perPage = 50

// allView is the page of all links.
type allView struct {
	Top
	Links        []AnyLink
	PersonFilter string
	States       []Option
	Next         string // URL of the next page
	Action       string
}

// Option is one value of a selection.
type Option struct {
	Value  string
	Says   page.Sentence
	Chosen bool
}

// AnyLink is a link of anybody.
type AnyLink struct {
	Agent
	PersonID int64
	Person   string
	Email    string
	CallsURL string
}

// All answers GET /me/all: every link, for administrators.
func (h *Handler) All(w http.ResponseWriter, r *http.Request) {
	v := h.administrator(w, r)
	if v == nil {
		return
	}
	query := r.URL.Query()
	filter := link.Filter{State: link.State(query.Get("state")), After: query.Get("after"), Limit: perPage}
	filter.PersonID, _ = strconv.ParseInt(query.Get("person"), 10, 64) // nonsense finds all
	found, more, err := h.Links.List(r.Context(), filter)
	if err != nil {
		h.pages().Down(w, r, err)
		return
	}
	view := allView{Top: h.top(w, r, v, "all"), PersonFilter: query.Get("person"), Action: h.Base + "/me/all"}
	for _, s := range []link.State{"", link.Active, link.Paused, link.Revoked} {
		view.States = append(view.States, Option{string(s), stateWord(s), s == filter.State})
	}
	for _, l := range found {
		one := AnyLink{Agent: h.agent(v, l, "all"), PersonID: l.PersonID, Person: l.PersonName, Email: l.Email}
		one.Act.Action = h.Base + "/me/all/" + l.ID
		one.Act.Token = v.token(one.Act.Action)
		one.CallsURL = h.Base + "/me/all/calls?" + url.Values{"link": {l.ID}}.Encode()
		view.Links = append(view.Links, one)
	}
	if more {
		query.Set("after", found[len(found)-1].ID)
		query.Del("did")
		view.Next = view.Action + "?" + query.Encode()
	}
	h.pages().Show(w, r, http.StatusOK, "me-all", view)
}

func stateWord(s link.State) page.Sentence {
	switch s {
	case link.Active:
		return page.Text("active")
	case link.Paused:
		return page.Text("paused")
	case link.Revoked:
		return page.Text("revoked")
	default:
		return page.Text("any")
	}
}

// maxReason bounds an administrator's reason, in bytes.
const maxReason = 200

// RevokeAny answers POST /me/all/{id}: an administrator ends anybody's link.
func (h *Handler) RevokeAny(w http.ResponseWriter, r *http.Request) {
	v := h.administrator(w, r)
	if v == nil || !h.posted(w, r, v) {
		return
	}
	l, err := h.Links.Get(r.Context(), r.PathValue("id"))
	if errors.Is(err, link.ErrNone) {
		h.none(w, r)
		return
	}
	done := false
	if err == nil {
		why := r.PostForm.Get("why")
		done, err = h.do(r, v, l, "revoke", strings.ToValidUTF8(why[:min(len(why), maxReason)], ""))
	}
	if err != nil {
		h.pages().Down(w, r, err)
		return
	}
	did := "revoke"
	if !done { // it was revoked already
		did = "same"
	}
	h.to(w, r, v, "/me/all", did)
}
