package web

import (
	"context"
	_ "embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/secrets"
	"github.com/comporta-mcp/comporta/services/auth/internal/token"
)

// Tokens says who a personal token belongs to: token.ErrRefused for one that is
// not valid, another error when the platform cannot be asked.
type Tokens interface {
	Prove(ctx context.Context, t identity.Secret) (*token.Owner, error)
}

// Secrets gives a person's secret to one caller; package secrets says the errors.
type Secrets interface {
	Take(ctx context.Context, person int64, id, address string) ([]secrets.Value, error)
}

// SecretPage shows what the platform showed once: GET asks who is there, POST
// shows it. Opening the address alone gives nothing away, so that neither a
// preview of a mail program nor an agent uses the one look up.
type SecretPage struct {
	Tokens  Tokens
	Secrets Secrets
	Address func(*http.Request) string // of the person, for the audit
	Log     *slog.Logger
}

//go:embed secret.html
var secretHTML string

var secretTemplate = template.Must(template.New("secret").Parse(secretHTML))

// maxForm bounds what a person posts, in bytes.
const maxForm = 8 << 10

// shown is what the page says.
type shown struct {
	Form   bool
	Note   string
	Values []secrets.Value
}

func (p *SecretPage) get(w http.ResponseWriter, _ *http.Request) {
	p.write(w, http.StatusOK, shown{Form: true})
}

func (p *SecretPage) post(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		p.write(w, http.StatusBadRequest, shown{Form: true, Note: "The form could not be read. Fill it in again."})
		return
	}
	owner, err := p.Tokens.Prove(r.Context(), identity.Secret(strings.TrimSpace(r.PostForm.Get("token"))))
	if errors.Is(err, token.ErrRefused) {
		p.write(w, http.StatusForbidden, shown{Form: true, Note: "The platform does not know this token. Nothing was shown; try another one."})
		return
	}
	if err != nil {
		p.Log.WarnContext(r.Context(), "a secret was not shown: who asks cannot be checked", "error", err)
		p.write(w, http.StatusServiceUnavailable, shown{Form: true, Note: "The platform cannot be asked who you are right now. The secret is still there; try again in a moment."})
		return
	}
	values, err := p.Secrets.Take(r.Context(), owner.Person.ID, r.PathValue("id"), p.Address(r))
	p.taken(w, r, values, err)
}

func (p *SecretPage) taken(w http.ResponseWriter, r *http.Request, values []secrets.Value, err error) {
	switch {
	case err == nil:
		p.write(w, http.StatusOK, shown{Values: values})
	case errors.Is(err, secrets.ErrNone):
		p.write(w, http.StatusNotFound, shown{Form: true, Note: "There is no secret for you at this address. It may belong to somebody else, or it has expired."})
	case errors.Is(err, secrets.ErrTaken):
		p.write(w, http.StatusGone, shown{Note: "This secret was shown before and cannot be shown again. If that was not you, delete what it belongs to on the platform, and make it anew."})
	case errors.Is(err, secrets.ErrExpired):
		p.write(w, http.StatusGone, shown{Note: "This secret has expired and cannot be shown any more. Delete what it belongs to on the platform, and make it anew."})
	default:
		p.Log.ErrorContext(r.Context(), "a secret was not shown", "error", err)
		p.write(w, http.StatusServiceUnavailable, shown{Form: true, Note: "The secret cannot be shown right now. Try again in a moment."})
	}
}

func (p *SecretPage) write(w http.ResponseWriter, status int, s shown) {
	var page strings.Builder
	if err := secretTemplate.Execute(&page, s); err != nil {
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(page.String()))
}
