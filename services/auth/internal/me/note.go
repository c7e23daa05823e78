package me

import (
	"net/http"

	"github.com/comporta-mcp/comporta/services/auth/internal/page"
)

// to leads to another page, which says once what was done.
func (h *Handler) to(w http.ResponseWriter, r *http.Request, v *visit, path, did string) {
	path = h.Base + path
	if did != "" {
		h.SignIn.Cookies.SetDone(w, v.done(path, did))
		path += "?did=" + did
	}
	http.Redirect(w, r, path, http.StatusSeeOther)
}

// done proves that this person did it in this browser, and was led to path for it.
func (v *visit) done(path, did string) string {
	return v.browser.Form("did", path, did, v.session.Key())
}

// note says what was done. Anybody can link to a page with a word for a deed, so it
// counts only with the proof that the deed left in the browser, which is used up.
func (h *Handler) note(w http.ResponseWriter, r *http.Request, v *visit) *page.Sentence {
	did := r.URL.Query().Get("did")
	cookies := h.SignIn.Cookies
	if did == "" || !v.browser.Fits(cookies.Done(r), "did", v.path, did, v.session.Key()) {
		return nil
	}
	cookies.SetDone(w, "")
	return noteOf(did)
}

// noteOf says what was done, by the word that led to the page.
func noteOf(did string) *page.Sentence {
	var note page.Sentence
	switch did {
	case "pause":
		note = page.Text("Paused. Its calls are refused until you let it go on.")
	case "resume":
		note = page.Text("It goes on.")
	case "revoke":
		note = page.Text("Revoked. Its calls are refused, and what it began ends.")
	case "pause-all":
		note = page.Text("All your agents are paused.")
	case "revoke-all":
		note = page.Text("All your agents are revoked.")
	case "narrow":
		note = page.Text("Changed. It counts from its next call on.")
	case "widen":
		note = page.Text("Changed. It has more now.")
	case "same":
		note = page.Text("Nothing was different, so nothing was changed.")
	default:
		return nil
	}
	return &note
}
