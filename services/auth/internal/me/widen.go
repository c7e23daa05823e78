package me

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
)

// change is a change that gives a link more, as it waits in the bucket "requests"
// for its person to prove again who they are. It goes by itself after 10 minutes.
type change struct {
	Form     int       `json:"form"` // of this record: 1
	LinkID   string    `json:"link_id"`
	PersonID int64     `json:"person_id"`
	Version  uint64    `json:"version"` // of the link, as the person saw it
	To       target    `json:"to"`
	At       time.Time `json:"at"`
	Used     bool      `json:"used"`

	id       string
	revision uint64
}

const changeForm = 1

// changeKey keeps changes apart from authorization requests.
func changeKey(id string) string { return "scope." + id }

var changeID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// errGone: there is no such change, or it was made.
var errGone = errors.New("no such change of a scope")

func (h *Handler) write(ctx context.Context, c *change) (err error) {
	c.Form = changeForm
	data, err := json.Marshal(c)
	if err == nil {
		c.revision, err = h.Changes.Write(ctx, changeKey(c.id), data, c.revision, 0)
	}
	if err != nil {
		return fmt.Errorf("keep a change of a scope: %w", err)
	}
	return nil
}

func (h *Handler) read(ctx context.Context, id string) (*change, error) {
	if !changeID.MatchString(id) {
		return nil, errGone
	}
	found, err := h.Changes.Read(ctx, changeKey(id))
	if err != nil {
		return nil, fmt.Errorf("read a change of a scope: %w", err)
	}
	if found.Value == nil {
		return nil, errGone
	}
	c := &change{id: id, revision: found.Revision}
	if err := json.Unmarshal(found.Value, c); err != nil || c.Form != changeForm || c.To.Scope == nil {
		return nil, errors.New("the record of a change of a scope cannot be read")
	}
	if c.Used {
		return nil, errGone
	}
	return c, nil
}

// ask keeps the change and leads to the page on which the person proves themselves.
func (h *Handler) ask(w http.ResponseWriter, r *http.Request, v *visit, l *link.Record, to target) {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails: crypto/rand
	c := &change{
		id: hex.EncodeToString(random), LinkID: l.ID, PersonID: v.session.PersonID, Version: l.Version, To: to, At: h.Now().UTC(),
	}
	if err := h.write(r.Context(), c); err != nil {
		h.pages().Down(w, r, err)
		return
	}
	h.to(w, r, v, "/me/links/"+l.ID+"/scope/"+c.id, "")
}

// widenView is the page that asks for the proof, and then for the last yes.
type widenView struct {
	Top
	Name, Back    string
	Verified      bool
	More          []page.Sentence
	SignIn        *signin.View // the person must sign in again
	Missing       []string     // companies that they have not proven in this session
	Add           signin.View
	Action, Token string
}

// Widen answers GET /me/links/{id}/scope/{change}.
func (h *Handler) Widen(w http.ResponseWriter, r *http.Request) {
	v := h.visit(w, r)
	if v == nil {
		return
	}
	l, c := h.changed(w, r, v)
	if l == nil {
		return
	}
	view := widenView{
		Top: h.top(w, r, v, "agents"), Name: l.ClientName, Verified: l.Verified, Back: h.Base + "/me/links/" + l.ID + "/scope",
		More: c.To.wider(l, v.session), Action: v.path, Token: v.token(v.path), Missing: c.missing(l, v.session),
	}
	form := h.SignIn.View(r, v.browser, v.path, page.Text("Sign in again"))
	if !c.fresh(v.session) {
		form = h.SignIn.Again(form)
		view.SignIn = &form
	}
	view.Add = form
	view.Add.Account = "" // a token adds a company, an account does not
	view.Add.Button = page.Text("Add the company")
	h.pages().Show(w, r, http.StatusOK, "me-widen", view)
}

// drift is by how much the clocks of two replicas may differ.
const drift = 5 * time.Second

// fresh reports whether the person has signed in since the change was asked for.
func (c *change) fresh(s *signin.Session) bool { return !s.At.Add(drift).Before(c.At) }

// missing are the companies in which the link would act and that the person has not
// proven in this session: nobody gives an agent more than they could give themselves.
func (c *change) missing(l *link.Record, s *signin.Session) []string {
	var names []string
	for _, company := range c.To.of(l, s) {
		if !s.Has(company.ID) {
			names = append(names, company.Name)
		}
	}
	return names
}

// changed gives the link and the change of the path. Where the link is nil, it has
// answered.
func (h *Handler) changed(w http.ResponseWriter, r *http.Request, v *visit) (*link.Record, *change) {
	l := h.edited(w, r, v)
	if l == nil {
		return nil, nil
	}
	c, err := h.read(r.Context(), r.PathValue("change"))
	if err == nil && (c.LinkID != l.ID || c.PersonID != v.session.PersonID || c.Version != l.Version || len(c.To.of(l, v.session)) == 0) {
		err = errGone
	}
	if errors.Is(err, errGone) {
		h.pages().Fail(w, r, http.StatusNotFound, page.Problem{
			Title: page.Text("This change is over"),
			Text:  page.Text("It was made, it is older than 10 minutes, or the agent was changed since."),
			ToDo:  page.Text("Go to your agents and change it again."),
		})
		return nil, nil
	}
	if err != nil {
		h.pages().Down(w, r, err)
		return nil, nil
	}
	return l, c
}

// SaveWider answers POST /me/links/{id}/scope/{change}: the one place where a link
// gets more than it had.
func (h *Handler) SaveWider(w http.ResponseWriter, r *http.Request) {
	v := h.visit(w, r)
	if v == nil || !h.posted(w, r, v) {
		return
	}
	l, c := h.changed(w, r, v)
	if l == nil {
		return
	}
	if !c.fresh(v.session) || len(c.missing(l, v.session)) > 0 {
		http.Redirect(w, r, v.path, http.StatusSeeOther) // where it says what is missing
		return
	}
	err := h.widen(r, v, l, c)
	switch {
	case errors.Is(err, errGone) || bus.IsConflict(err):
		http.Redirect(w, r, v.path, http.StatusSeeOther) // where it says that it is over
	case err != nil:
		h.pages().Down(w, r, err)
	default:
		h.to(w, r, v, "/me/links/"+l.ID, "widen")
	}
}

// widen uses the change, writes down that the person wants it, and makes it.
func (h *Handler) widen(r *http.Request, v *visit, l *link.Record, c *change) error {
	ctx := context.WithoutCancel(r.Context()) // begun, it is done, whoever waits for the page
	c.Used = true
	if err := h.write(ctx, c); err != nil {
		return err
	}
	if err := h.Ledger.Person(ctx, h.event(r, v, l, "link_widened")); err != nil {
		return err
	}
	_, err := h.Links.Change(ctx, l.ID, func(now *link.Record) error {
		if now.Version != c.Version || !slices.Contains([]link.State{link.Active, link.Paused}, now.State) {
			return errGone
		}
		return c.To.put(now, v.session)
	})
	if err == nil {
		h.Log.InfoContext(ctx, "a person widened a link", "link", l.ID, "person", v.session.PersonID)
	}
	return err
}
