package approve

import (
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"unicode"

	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
)

const (
	maxForm  = 16 << 10 // bytes
	maxWords = 500      // characters that a person may give the agent
)

// formParts is what a form is bound to: who is signed in, the call with all that
// it would send, and the resource as the page shows it.
func (v *visit) formParts(seen string) []string {
	return []string{"approve", v.session.Key(), v.record.Key, hex.EncodeToString(approval.CallDigest(v.op())), seen}
}

// Decide answers POST: the one place where a call is approved.
func (h *Handler) Decide(w http.ResponseWriter, r *http.Request) {
	v := h.visit(w, r)
	if v == nil {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	seen := r.PostForm.Get("seen")
	if err != nil || !v.browser.Fits(r.PostForm.Get("form"), v.formParts(seen)...) || !v.session.Has(v.op().GetCompanyId()) {
		h.tooOld(w, r)
		return
	}
	if !h.open(v) { // a second click, or too late: the page says which
		http.Redirect(w, r, v.path, http.StatusSeeOther)
		return
	}
	switch r.PostForm.Get("decision") {
	case "do":
		err = h.approve(r, v, seen)
	case "refuse":
		err = h.refuse(r, v, r.PostForm.Get("words"))
	default:
		err = nil // the page again
	}
	if errors.Is(err, errBlind) {
		h.tooOld(w, r)
		return
	}
	if err != nil && !errors.Is(err, record.ErrConflict) { // somebody was faster: the page says what happened
		h.Pages.Down(w, r, err)
		return
	}
	http.Redirect(w, r, v.path, http.StatusSeeOther)
}

func (h *Handler) tooOld(w http.ResponseWriter, r *http.Request) {
	h.Pages.Fail(w, r, http.StatusForbidden, page.Problem{
		Title: page.Text("This form is too old"),
		Text:  page.Text("It does not belong to this browser and this call as it is now. Nothing was decided."),
		ToDo:  page.Text("Open the page again from where your agent showed it."),
	})
}

// errBlind: the person was not shown the resource.
var errBlind = errors.New("the resource was not shown")

// approve stores the yes and wakes a worker. One that is lost in between is found
// by the worker that looks for records without a message.
func (h *Handler) approve(r *http.Request, v *visit, seenHex string) error {
	seen, err := hex.DecodeString(seenHex)
	if err != nil || len(seen) == 0 && h.visible(r.Context(), v) {
		return errBlind
	}
	yes, err := h.Yes.give(r.Context(), v.op(), v.session.PersonID, seen, h.Now().UTC())
	if err != nil {
		return err
	}
	err = h.Operations.Save(r.Context(), v.record, func(op *operationv1.Operation) {
		op.Approval, op.Phase, op.ApproveUrl = yes, operationv1.Phase_PHASE_QUEUED, ""
	})
	if err != nil {
		return err
	}
	h.Log.InfoContext(r.Context(), "a call was approved", "operation", v.op().GetId(), "tool", v.op().GetTool(), "person", v.session.PersonID)
	return h.Operations.Requeue(r.Context(), v.record)
}

// refuse ends the operation; the message lets a worker put that into the audit.
func (h *Handler) refuse(r *http.Request, v *visit, words string) error {
	err := h.Operations.Save(r.Context(), v.record, func(op *operationv1.Operation) {
		operation.Fail(op, refusal(tidy(words)))
	})
	if err != nil {
		return err
	}
	h.Log.InfoContext(r.Context(), "a call was refused", "operation", v.op().GetId(), "tool", v.op().GetTool(), "person", v.session.PersonID)
	return h.Operations.Requeue(r.Context(), v.record)
}

func refusal(words string) *problem.Problem {
	p := problem.New(problem.SinPermiso, "The person refused this call.")
	if words != "" {
		p = problem.New(problem.SinPermiso, "The person refused this call. They said: %q.", words).With("palabras", words)
	}
	return p.Because(problem.AprobacionDenegada).
		ToDo("Do not repeat it as it is. Go by what the person said, or ask them.")
}

// tidy makes one line of what the person wrote.
func tidy(words string) string {
	words = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, words)), " ")
	if runes := []rune(words); len(runes) > maxWords {
		return string(runes[:maxWords])
	}
	return words
}
