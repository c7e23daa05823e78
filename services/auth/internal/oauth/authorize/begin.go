package authorize

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/client"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/form"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
)

// Begin answers GET /authorize: it keeps a good request and leads the browser to
// its page. Until client and redirect URI are known to belong together nothing
// is ever sent anywhere; the person gets a page instead.
func (h *Handler) Begin(w http.ResponseWriter, r *http.Request) {
	if wait, err := h.Limiter.Take(r.Context(), h.Address(r), h.PerAddr); err != nil || wait > 0 {
		h.Pages.Fail(w, r, http.StatusTooManyRequests, page.Problem{
			Title: page.Text("Too many requests"),
			Text:  page.Text("From your network address come too many of them."),
			ToDo:  page.Text("Wait a minute, then start again in your agent's client."),
		})
		return
	}
	p, malformed := form.Query(r)
	c, redirect, ok := h.client(w, r, p)
	if !ok {
		return
	}
	request := &Request{
		ClientID:    c.ID,
		RedirectURI: redirect,
		Repeat:      p.Get("redirect_uri") != "",
		State:       state(r),
		Challenge:   p.Get("code_challenge"),
		Browser:     h.Cookies.Browser(w, r).ID(),
	}
	if malformed == nil {
		malformed = h.judge(request, p)
	}
	if malformed != nil {
		h.answerFault(w, r, request, fault.Of(malformed))
		return
	}
	if err := h.Requests.add(r.Context(), request); err != nil {
		h.Pages.Down(w, r, err)
		return
	}
	if p.Get("prompt") == "none" {
		h.silently(w, r, request)
		return
	}
	http.Redirect(w, r, h.path(request), http.StatusSeeOther)
}

func (h *Handler) path(r *Request) string { return h.Base + "/authorize/" + r.ID }

// client finds the client and where its answer goes. Where it gives false, it
// has answered.
func (h *Handler) client(w http.ResponseWriter, r *http.Request, p form.Params) (*client.Client, string, bool) {
	again := page.Text("Remove this server in your agent's client and add it again; then it registers anew.")
	c, err := h.Clients.Get(r.Context(), p.Get("client_id"))
	bad, isBad := errors.AsType[*client.BadDocument](err)
	switch {
	case errors.Is(err, client.ErrNone):
		h.Pages.Fail(w, r, http.StatusBadRequest, page.Problem{
			Title: page.Text("This client is not known here"),
			Text:  page.Text("The agent's client that sent you here never registered, or so long ago that it was forgotten."),
			ToDo:  again,
		})
		return nil, "", false
	case isBad:
		h.Pages.Fail(w, r, http.StatusBadRequest, page.Problem{
			Title: page.Text("This client cannot be checked"),
			Text:  page.Text("The client names a document about itself that cannot be used: %s", bad.Why),
			ToDo:  page.Text("Try again in a minute. If it stays so, tell the maker of the client."),
		})
		return nil, "", false
	case err != nil:
		h.Pages.Down(w, r, err)
		return nil, "", false
	}
	redirect, ok := c.Redirect(p.Get("redirect_uri"), h.Rules)
	if !ok {
		h.Pages.Fail(w, r, http.StatusBadRequest, page.Problem{
			Title: page.Text("This request cannot be answered"),
			Text:  page.Text("The client wants the answer at an address that it did not register. That may be an attack, so nothing was sent there."),
			ToDo:  again,
		})
		return nil, "", false
	}
	return c, redirect, true
}

// state is the parameter as its bytes; nil where there is none.
func state(r *http.Request) []byte {
	if values := r.URL.Query()["state"]; len(values) > 0 {
		return []byte(values[0])
	}
	return nil
}

var challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`) // BASE64URL(SHA256): RFC 7636 §4.2

// judge reads what the client wants; its errors go to the client.
func (h *Handler) judge(request *Request, p form.Params) error {
	switch {
	case p.Get("response_type") == "":
		return fault.New(fault.InvalidRequest, "response_type is missing.")
	case p.Get("response_type") != "code":
		return fault.New(fault.UnsupportedResponseType, "response_type must be code.")
	case p.Get("request") != "" || p.Get("request_uri") != "":
		return fault.New(fault.InvalidRequest, "Request objects are not taken here.")
	case p.Get("response_mode") != "" && p.Get("response_mode") != "query":
		return fault.New(fault.InvalidRequest, "response_mode must be query.")
	case p.Get("code_challenge") == "":
		return fault.New(fault.InvalidRequest, "code_challenge is missing: PKCE is required.")
	case p.Get("code_challenge_method") != "S256":
		return fault.New(fault.InvalidRequest, "code_challenge_method must be S256.")
	case !challengeForm.MatchString(request.Challenge):
		return fault.New(fault.InvalidRequest, "code_challenge is not the Base64url form of a SHA-256.")
	}
	asked := h.Areas.Asked(p.Get("scope"))
	for _, resource := range p.All("resource") {
		area, ok := h.Areas.Resource(resource)
		if !ok {
			return fault.New(fault.InvalidTarget, "resource names nothing of this server.")
		}
		if !slices.Contains(asked.Areas, area) {
			asked.Areas = append(asked.Areas, area)
		}
	}
	if asked.Unknown && len(p.All("resource")) == 0 {
		return fault.New(fault.InvalidScope, "No scope of these is known here.")
	}
	prompts := strings.Fields(p.Get("prompt"))
	request.Areas, request.Writes = asked.Areas, asked.Writes
	request.Consent, request.Login = slices.Contains(prompts, "consent"), slices.Contains(prompts, "login")
	return nil
}
