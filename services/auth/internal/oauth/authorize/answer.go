package authorize

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
)

// answer leads the browser back to the client. Every answer names its issuer
// (RFC 9207), and the client's state comes back byte for byte.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, request *Request, values url.Values) {
	if request.State != nil {
		values.Set("state", string(request.State))
	}
	values.Set("iss", h.Issuer)
	separator := "?"
	if strings.Contains(request.RedirectURI, "?") {
		separator = "&"
	}
	w.Header().Set("Location", request.RedirectURI+separator+values.Encode())
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}

// answerFault tells the client what is wrong.
func (h *Handler) answerFault(w http.ResponseWriter, r *http.Request, request *Request, f *fault.Fault) {
	h.answer(w, r, request, url.Values{"error": {string(f.Code)}, "error_description": {f.Description}})
}

// origin is where the answer goes, as a form's target and as a person reads it.
func origin(redirect string) (source, shown string) {
	u, err := url.Parse(redirect)
	switch {
	case err != nil:
		return "", ""
	case u.Scheme == "http" || u.Scheme == "https":
		return u.Scheme + "://" + u.Host, u.Host
	default:
		return u.Scheme + ":", u.Scheme + ":"
	}
}
