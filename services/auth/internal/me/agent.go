package me

import (
	"cmp"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/activity"
	"github.com/comporta-mcp/comporta/services/auth/internal/consent"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
)

// Agent is a link as the pages show it.
type Agent struct {
	ID, Name, Href string
	Verified       bool
	Token          bool // the implicit link of a personal token
	State          link.State
	Reach          []page.Sentence
	Companies      string
	CreatedAt      time.Time
	LastUse        time.Time
	Address        string
	Last           *LastCall
	Running        []Work
	Until          time.Time // zero: no session lives
	Chart          Chart
	Act            Act
}

// Act is what the buttons of a link need.
type Act struct{ Action, Token, From string }

// LastCall is a link's newest call.
type LastCall struct {
	At   time.Time
	Tool string
	Says page.Sentence
	Bad  bool
}

// Work is an operation that has not ended.
type Work struct {
	Client, Title, Tool, Area string
	About                     string // what it is about, as the agent named it
	Phase                     page.Sentence
	At                        time.Time
	Approve                   string // the page on which the person decides; "": it does not wait for them
	Minutes                   int    // until nobody may decide any more, rounded up
}

// agent shows a link of the person's.
func (h *Handler) agent(v *visit, l *link.Record, from string) Agent {
	now := h.Now()
	a := Agent{
		ID: l.ID, Name: l.ClientName, Href: h.Base + "/me/links/" + l.ID, Verified: l.Verified, Token: link.Implicit(l.ID),
		State: l.State, CreatedAt: l.CreatedAt, LastUse: l.LastUseAt, Address: l.LastAddress, Until: l.SessionUntil(now),
		Companies: cmp.Or(companiesOf(l), l.CompanyName),
	}
	a.Act = Act{Action: a.Href, Token: v.token(a.Href), From: from}
	if l.Scope != nil {
		choice := consent.Of(l, l.Companies, now)
		a.Reach = choice.Reach()
	}
	return a
}

func companiesOf(l *link.Record) string {
	var names []string
	for _, c := range l.Companies {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// did adds what the link did and does.
func (h *Handler) did(a *Agent, t activity.Tally, running []*operationv1.Operation) {
	a.Chart = chartOf(t, h.Now())
	if t.Last.At.After(time.Time{}) {
		says, bad := outcome(t.Last.Outcome, t.Last.Operation)
		a.Last = &LastCall{At: t.Last.At, Tool: t.Last.Tool, Says: says, Bad: bad}
	}
	for _, op := range running {
		a.Running = append(a.Running, h.work(a.Name, op))
	}
}

func (h *Handler) work(client string, op *operationv1.Operation) Work {
	w := Work{
		Client: client, Title: op.GetTool(), Tool: op.GetTool(), Area: op.GetArea(),
		About: about(op.GetArguments()), Phase: phase(op.GetPhase()), At: op.GetCreatedAt().AsTime(),
	}
	if tool, known := h.Tools(op.GetTool()); known {
		w.Title = tool.Title
	}
	left := w.At.Add(approval.Life).Sub(h.Now())
	if op.GetPhase() == operationv1.Phase_PHASE_AWAITING_APPROVAL && left > 0 {
		w.Approve = h.Base + approval.Path(op.GetLinkId(), op.GetId())
		w.Minutes = int((left + time.Minute - 1) / time.Minute)
	}
	return w
}

// phase is a phase in a person's words.
func phase(p operationv1.Phase) page.Sentence {
	switch p {
	case operationv1.Phase_PHASE_QUEUED:
		return page.Text("waits for its turn")
	case operationv1.Phase_PHASE_AWAITING_APPROVAL:
		return page.Text("waits for you")
	case operationv1.Phase_PHASE_VERIFYING:
		return page.Text("is being checked")
	default:
		return page.Text("is being done")
	}
}

// outcome is a record's outcome in a person's words; a call that began an operation
// has not done anything yet.
func outcome(code string, began bool) (says page.Sentence, bad bool) {
	switch code {
	case "ok", "":
		if began {
			return page.Text("begun"), false
		}
		return page.Text("done"), false
	case string(problem.SinPermiso):
		return page.Text("refused"), true
	case string(problem.LimiteExcedido):
		return page.Text("refused: too many calls"), true
	case string(problem.NoEncontrado):
		return page.Text("not found"), true
	case string(problem.ParametroInvalido):
		return page.Text("wrong arguments"), true
	case string(problem.Conflicto):
		return page.Text("an argument must change"), true
	case string(problem.EstadoInvalido):
		return page.Text("not possible at that moment"), true
	case string(problem.Interno):
		return page.Text("failed"), true
	default: // a refusal's message, of a fixed set
		return page.Text("%s", code), true
	}
}
