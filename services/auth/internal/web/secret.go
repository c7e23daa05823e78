package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/secrets"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
)

// Secrets gives a person's secret to one caller; package secrets says the errors.
type Secrets interface {
	Take(ctx context.Context, person int64, id, address string) ([]secrets.Value, error)
}

// SecretPage shows what the platform showed once: GET signs its person in, and
// only the form's button shows it. Opening the address alone gives nothing away,
// so that neither a preview of a mail program nor an agent uses the one look up.
type SecretPage struct {
	SignIn  *signin.Handler // its sessions and cookies say who looks
	Secrets Secrets
}

// maxForm bounds what a person posts, in bytes.
const maxForm = 8 << 10

// secretView is the page: the sign-in, then the button, then the values.
type secretView struct {
	SignIn *signin.View
	Form   *secretForm
	Values []secrets.Value
}

type secretForm struct {
	Action, Token, Person string
	Out                   signin.View // to sign out
}

func (p *SecretPage) path(r *http.Request) string {
	return p.SignIn.Base + "/secrets/" + r.PathValue("id")
}

// formParts is what the button is bound to, beside the browser.
func formParts(r *http.Request, s *signin.Session) []string {
	return []string{"secret", r.PathValue("id"), s.Key()}
}

func (p *SecretPage) get(w http.ResponseWriter, r *http.Request) {
	browser := p.SignIn.Cookies.Browser(w, r)
	form := p.SignIn.View(r, browser, p.path(r), page.Text("Sign in"))
	session, err := p.SignIn.Sessions.Get(r.Context(), p.SignIn.Cookies.Person(r))
	switch {
	case errors.Is(err, signin.ErrNone):
		p.show(w, r, secretView{SignIn: &form})
	case err != nil:
		p.SignIn.Pages.Down(w, r, err)
	default:
		p.show(w, r, secretView{Form: &secretForm{
			Action: p.path(r), Token: browser.Form(formParts(r, session)...),
			Person: cmp.Or(session.Name, session.Email), Out: form,
		}})
	}
}

func (p *SecretPage) post(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	session, err := p.SignIn.Sessions.Get(r.Context(), p.SignIn.Cookies.Person(r))
	if err != nil && !errors.Is(err, signin.ErrNone) {
		p.SignIn.Pages.Down(w, r, err)
		return
	}
	if r.ParseForm() != nil || session == nil || !p.SignIn.Cookies.Known(r).Fits(r.PostForm.Get("form"), formParts(r, session)...) {
		p.SignIn.Pages.Fail(w, r, http.StatusForbidden, page.Problem{
			Title: page.Text("This form is too old"),
			Text:  page.Text("It does not belong to this browser, or you signed in or out since it was shown. The secret was not shown."),
			ToDo:  page.Text("Open the address that your agent told you again."),
		})
		return
	}
	values, err := p.Secrets.Take(r.Context(), session.PersonID, r.PathValue("id"), p.SignIn.Address(r))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.show(w, r, secretView{Values: values})
}

func (p *SecretPage) show(w http.ResponseWriter, r *http.Request, v secretView) {
	p.SignIn.Pages.Show(w, r, http.StatusOK, "secret", v)
}

// fail says why a secret was not shown.
func (p *SecretPage) fail(w http.ResponseWriter, r *http.Request, err error) {
	anew := page.Text("Delete what it belongs to on the platform, and make it anew.")
	switch {
	case errors.Is(err, secrets.ErrNone):
		p.SignIn.Pages.Fail(w, r, http.StatusNotFound, page.Problem{
			Title: page.Text("There is no secret for you here"),
			Text:  page.Text("It may belong to somebody else, or it has expired."),
			ToDo:  page.Text("Open the address that your agent told you again, and sign in as the person for whom it acts."),
		})
	case errors.Is(err, secrets.ErrTaken):
		p.SignIn.Pages.Fail(w, r, http.StatusGone, page.Problem{
			Title: page.Text("This secret was shown before"),
			Text:  page.Text("It cannot be shown again. If it was not you who saw it, somebody else has it."),
			ToDo:  anew,
		})
	case errors.Is(err, secrets.ErrExpired):
		p.SignIn.Pages.Fail(w, r, http.StatusGone, page.Problem{
			Title: page.Text("This secret has expired"),
			Text:  page.Text("It cannot be shown any more."),
			ToDo:  anew,
		})
	default: // it is still there
		p.SignIn.Pages.Down(w, r, err)
	}
}
