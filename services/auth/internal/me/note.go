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
	if note, known := notes[did]; known {
		return &note
	}
	return nil
}

// notes say what was done, by the word that led to the page.
var notes = map[string]page.Sentence{
	"pause":      page.Text("Paused. Its calls are refused until you let it go on."),
	"resume":     page.Text("It goes on."),
	"revoke":     page.Text("Revoked. Its calls are refused, and what it began ends."),
	"pause-all":  page.Text("All your agents are paused."),
	"revoke-all": page.Text("All your agents are revoked."),
	"narrow":     page.Text("Changed. It counts from its next call on."),
	"widen":      page.Text("Changed. It has more now."),
	"same":       page.Text("Nothing was different, so nothing was changed."),
}
