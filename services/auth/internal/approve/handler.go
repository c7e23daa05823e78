// Package approve is the page on which a person decides about one call of an
// agent, and what becomes of the decision: the signed yes without which auth
// releases no credential for the call, or the refusal that the agent gets. Which
// calls need one says package guard; carrying the call out is the worker's.
package approve

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	"github.com/comporta-mcp/comporta/pkg/platform"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
	"github.com/comporta-mcp/comporta/services/auth/internal/vault"
)

// Links finds links; *link.Links does.
type Links interface {
	Get(ctx context.Context, id string) (*link.Record, error)
}

// Operations keeps the calls; *operation.Store does. Its errors are those of
// package record.
type Operations interface {
	Load(ctx context.Context, key string) (*operation.Record, error)
	Save(ctx context.Context, rec *operation.Record, change func(*operationv1.Operation)) error
	Requeue(ctx context.Context, rec *operation.Record) error
	Payload(ctx context.Context, op *operationv1.Operation, key string) ([]byte, error)
}

// Platform reads a resource; *platform.Client does.
type Platform interface {
	Do(ctx context.Context, r platform.Request) (*platform.Answer, error)
}

// Handler answers /approve/{link}/{operation}.
type Handler struct {
	Base       string // path of the issuer
	Yes        Yes
	Links      Links
	Operations Operations
	Platform   Platform
	Vault      vault.Vault
	Sessions   *signin.Sessions
	SignIn     *signin.Handler
	Cookies    signin.Cookies
	Pages      *page.Pages
	Now        func() time.Time
	Log        *slog.Logger
}

// visit is one look at a call by its person.
type visit struct {
	path    string
	browser signin.Browser
	session *signin.Session
	link    *link.Record
	record  *operation.Record
	awaited *authv1.Awaited // empty: auth was not told that the call waits
}

func (v *visit) op() *operationv1.Operation { return v.record.Op }

// errNobodys: there is no such call, or it is another person's, which looks the same.
var errNobodys = errors.New("no such call of this person")

// visit finds out who looks at what. Where it gives nil, it has answered: with
// the sign-in, which tells nothing of the call, or with why there is no page.
func (h *Handler) visit(w http.ResponseWriter, r *http.Request) *visit {
	v := &visit{
		browser: h.Cookies.Browser(w, r),
		path:    h.Base + approval.Path(r.PathValue("link"), r.PathValue("operation")),
	}
	err := h.find(r, v)
	switch {
	case errors.Is(err, signin.ErrNone):
		h.askWho(w, r, v)
	case errors.Is(err, errNobodys):
		h.Pages.Fail(w, r, http.StatusNotFound, page.Problem{
			Title: page.Text("There is no such call of yours"),
			Text:  page.Text("It is another person's, or it is older than 7 days."),
			ToDo:  page.Text("Check that you are signed in as the person who connected the agent."),
		})
	case err != nil:
		h.Pages.Down(w, r, err)
	default:
		return v
	}
	return nil
}

func (h *Handler) find(r *http.Request, v *visit) (err error) {
	ctx := r.Context()
	if v.session, err = h.Sessions.Get(ctx, h.Cookies.Person(r)); err != nil {
		return err
	}
	key, ok := operation.Key(r.PathValue("link"), r.PathValue("operation"))
	if !ok {
		return errNobodys
	}
	v.link, err = h.Links.Get(ctx, r.PathValue("link"))
	if errors.Is(err, link.ErrNone) || err == nil && (v.link.PersonID != v.session.PersonID || link.Implicit(v.link.ID)) {
		return errNobodys
	}
	if err != nil {
		return err
	}
	v.record, err = h.Operations.Load(ctx, key)
	if errors.Is(err, record.ErrAbsent) || err == nil && (v.op().GetLinkId() != v.link.ID || operationKey(v.op()) != key) {
		return errNobodys
	}
	if err != nil {
		return err
	}
	n, err := h.Yes.read(ctx, v.link.ID, v.op().GetId())
	v.awaited = n.call
	return err
}

func operationKey(op *operationv1.Operation) string {
	key, _ := operation.Key(op.GetLinkId(), op.GetId())
	return key
}

// askWho shows the sign-in: of anybody, or for the company that the call is in.
func (h *Handler) askWho(w http.ResponseWriter, r *http.Request, v *visit) {
	form := h.SignIn.View(r, v.browser, v.path, page.Text("Sign in"))
	h.Pages.Show(w, r, http.StatusOK, "approve", view{SignIn: &form})
}

// waits reports whether the call that the record tells is the one that waits, and
// not for too long: by auth's clock, since hosts write the record's.
func (h *Handler) waits(v *visit) bool {
	return h.Now().Before(until(v.awaited)) && bytes.Equal(v.awaited.GetCallDigest(), approval.CallDigest(v.op()))
}

// open reports whether the person can still decide.
func (h *Handler) open(v *visit) bool {
	return v.op().GetPhase() == operationv1.Phase_PHASE_AWAITING_APPROVAL && h.waits(v) &&
		v.link.State == link.Active && v.link.Scope != nil &&
		slices.ContainsFunc(v.link.Companies, func(c link.Company) bool { return c.ID == v.op().GetCompanyId() })
}

// Show answers GET.
func (h *Handler) Show(w http.ResponseWriter, r *http.Request) {
	v := h.visit(w, r)
	switch {
	case v == nil:
	case !h.open(v):
		h.showState(w, r, v)
	case !v.session.Has(v.op().GetCompanyId()):
		form := h.SignIn.View(r, v.browser, v.path, page.Text("Add the company"))
		h.Pages.Show(w, r, http.StatusOK, "approve", view{SignIn: &form, Company: true, Person: v.session.Name})
	default:
		h.showForm(w, r, v)
	}
}
