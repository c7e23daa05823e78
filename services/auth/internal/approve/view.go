package approve

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/operation"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
)

// view is the page: the sign-in, the form, or what became of the call.
type view struct {
	SignIn  *signin.View
	Company bool   // the sign-in is for the call's company
	Person  string // who is signed in
	Form    *formView
	State   *stateView
}

// headView says who wants what.
type headView struct {
	Client   string
	Verified bool
	Title    string // of the tool, in the catalogue's English
	Does     string // a sentence of the catalogue
	Tool     string
	Name     string // of the resource; "" where it has none
	Company  string
	Destroys bool
	At       time.Time
}

// formView is the page before the decision.
type formView struct {
	headView
	Person, Action, Token, Seen string
	Minutes                     int // until it expires, rounded up
	Rows                        []row
	Changes                     bool // there are values to compare with
	Present                     []cell
	Gone                        bool // the resource is not there any more
	Blind                       bool // it could not be read, so nobody can approve
}

// row is one argument.
type row struct {
	Name         string
	Now, After   cell
	Had, Differs bool
	Secret       bool
}

// cell is one value.
type cell struct {
	Name, Text, By string // By: the third party who wrote it
	Third, Long    bool
	Short          string // where it is long, its beginning
}

// showForm shows the call with all that it would do.
func (h *Handler) showForm(w http.ResponseWriter, r *http.Request, v *visit) {
	tool, known := h.Yes.Tools.Find(v.op().GetTool())
	var args *arguments
	var err error
	if known {
		args, err = h.arguments(r.Context(), v.op(), tool)
	}
	if !known || err != nil {
		h.Log.WarnContext(r.Context(), "a call cannot be shown", "operation", v.op().GetId(), "tool", v.op().GetTool(), "error", err)
		h.Pages.Fail(w, r, http.StatusUnprocessableEntity, page.Problem{
			Title: page.Text("This call cannot be shown"),
			Text:  page.Text("What cannot be shown whole cannot be approved."),
			ToDo:  page.Text("Ask the agent to make the call again."),
		})
		return
	}
	found, err := h.resource(r.Context(), v, tool, args.all)
	form := &formView{headView: headOf(v, tool), Person: v.session.Name, Action: v.path, Minutes: h.minutes(v.awaited), Blind: err != nil}
	if err != nil {
		h.Log.WarnContext(r.Context(), "a resource could not be read", "tool", tool.Name, "error", err)
	}
	if found != nil {
		form.Seen, form.Name, form.Gone = hex.EncodeToString(found.seen), found.name, found.fields == nil
		form.Present = cells(found.fields)
	}
	form.Rows = rows(tool, args, found)
	form.Changes = slices.ContainsFunc(form.Rows, func(r row) bool { return r.Had })
	form.Token = v.browser.Form(v.formParts(form.Seen)...)
	h.Pages.Show(w, r, http.StatusOK, "approve", view{Form: form, Person: v.session.Name})
}

func (h *Handler) minutes(call *authv1.Awaited) int {
	left := until(call).Sub(h.Now())
	return int((left + time.Minute - 1) / time.Minute)
}

func headOf(v *visit, tool *catalog.Tool) headView {
	head := headView{
		Client: v.link.ClientName, Verified: v.link.Verified, Title: tool.Title, Does: firstSentence(tool.Description), Tool: tool.Name,
		Destroys: tool.Effect != catalog.Write, At: v.op().GetCreatedAt().AsTime(),
	}
	for _, company := range v.link.Companies {
		if company.ID == v.op().GetCompanyId() {
			head.Company = company.Name
		}
	}
	return head
}

func firstSentence(text string) string {
	first, _, more := strings.Cut(text, ". ")
	if more {
		return first + "."
	}
	return text
}

// rows are the arguments: those of the path first, as they say what it is about.
func rows(tool *catalog.Tool, args *arguments, found *resource) []row {
	var made []row
	about := map[string]bool{}
	for _, p := range tool.Binding.Params {
		if _, given := args.shown[p.Arg]; given && p.In == catalog.Path {
			about[p.Arg] = true
			made = append(made, row{Name: p.Arg, After: cellOf(p.Arg, args.shown[p.Arg])})
		}
	}
	shown := args.shown
	whole, isWhole := shown["body"].(map[string]any)
	if isWhole { // one argument for all fields: they are compared one by one
		shown = maps.Clone(shown)
		delete(shown, "body")
		maps.Copy(shown, whole)
	}
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		if about[name] {
			continue
		}
		next := row{Name: name, After: cellOf(name, shown[name]), Secret: args.hidden[name]}
		if found != nil && !next.Secret {
			var now any
			if now, next.Had = found.fields[name]; next.Had {
				next.Now = cellOf(name, now)
				next.Differs = next.Now.Text != next.After.Text
			}
		}
		made = append(made, next)
	}
	return made
}

func cells(fields map[string]any) []cell {
	var made []cell
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		made = append(made, cellOf(name, fields[name]))
	}
	return made
}

// longText is from where on a value is folded, shortText what is shown of it
// then, in characters.
const longText, shortText = 160, 60

func cellOf(name string, value any) cell {
	c := cell{Name: name}
	if wrapped, ok := value.(map[string]any); ok && wrapped["origen"] == "no_confiable" {
		c.Third = true
		c.By, _ = wrapped["escrito_por"].(string)
		value = wrapped["contenido"]
	}
	c.Text = textOf(value)
	if runes := []rune(c.Text); len(runes) > longText {
		c.Long, c.Short = true, string(runes[:shortText])
	}
	return c
}

func textOf(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if kind := reflect.ValueOf(value).Kind(); kind == reflect.Map || kind == reflect.Slice {
		encoder.SetIndent("", "  ")
	}
	if err := encoder.Encode(value); err != nil {
		return ""
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// stateView is the page after the decision, or too late for one.
type stateView struct {
	headView
	Says    page.Sentence
	Detail  string // the problem, in the agent's English
	Running bool
	Bad     bool
	Result  string
}

// refresh is how often the page of a running call is loaded anew, in seconds.
const refresh = "2"

func (h *Handler) showState(w http.ResponseWriter, r *http.Request, v *visit) {
	op := v.op()
	state := &stateView{headView: headView{Client: v.link.ClientName, Tool: op.GetTool(), Title: op.GetTool(), At: op.GetCreatedAt().AsTime()}}
	if tool, known := h.Yes.Tools.Find(op.GetTool()); known {
		state.headView = headOf(v, tool)
	}
	failed := operation.Failure(op)
	switch {
	case failed != nil:
		state.Says, state.Detail, state.Bad = page.Text("It was not done."), failed.What.String(), true
		if failed.Unknown() {
			state.Says = page.Text("It is not known whether it was done. Look at the resource.")
		}
	case operation.Ended(op):
		state.Says = page.Text("It is done.")
		if result, err := object(op.GetResult()); err == nil {
			state.Result = textOf(result)
		}
	case op.GetPhase() == operationv1.Phase_PHASE_AWAITING_APPROVAL && !h.waits(v):
		state.Says, state.Bad = page.Text("It waited for more than 10 minutes and is over. Nothing was done."), true
	case op.GetPhase() == operationv1.Phase_PHASE_AWAITING_APPROVAL:
		state.Says, state.Bad = page.Text("The agent's link is paused, revoked or narrower now, so nothing can be approved."), true
	default:
		state.Says, state.Running = page.Text("It is being done …"), true
		w.Header().Set("Refresh", refresh)
	}
	h.Pages.Show(w, r, http.StatusOK, "approve", view{State: state, Person: v.session.Name})
}
