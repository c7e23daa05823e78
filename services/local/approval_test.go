package local

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/quota"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// app makes an application with the member's own token and gives its id.
func (e *everything) app(name string) any {
	e.t.Helper()
	return e.ok("build", "member", "create_application", map[string]any{"name": name})["data"].(map[string]any)["id"]
}

func (e *everything) nameOf(id any) any {
	e.t.Helper()
	return e.ok("build", "member", "retrieve_application", map[string]any{"application_id": id})["data"].(map[string]any)["name"]
}

// hurried lets a test call as often as it likes, and find what is over soon.
func hurried(w *Wiring) {
	w.Worker.Work.Reconcile = 200 * time.Millisecond
	for area, host := range w.Hosts {
		host.Limits = map[string]quota.Limit{"calls": {Count: 1000}}
		w.Hosts[area] = host
	}
}

// decide answers the page as its person.
func (v *visitor) decide(a *asked, decision, words string) {
	v.t.Helper()
	v.do(http.MethodGet, a.path, nil)
	form := v.form(a.path)
	form.Set("decision", decision)
	form.Set("words", words)
	if response := v.do(http.MethodPost, a.path, form); response.StatusCode != http.StatusSeeOther {
		v.t.Fatalf("the decision was answered with %d: %s", response.StatusCode, v.body)
	}
}

func TestAPersonDecidesAboutSingleCalls(t *testing.T) {
	e := launch(t, fresh(t), hurried)
	member := e.visitor()
	agent := member.connect(e, "escrituras")
	rename := func(id any, name string) *asked {
		t.Helper()
		return e.ask(agent, "partial_update_application", map[string]any{"application_id": id, "name": name})
	}

	t.Run("what is approved is done, once", func(t *testing.T) {
		id := e.app("before-it")
		call := rename(id, "after-it")
		if again := rename(id, "after-it"); again.id != call.id {
			t.Errorf("the call once more is %v, not %v", again.id, call.id)
		}
		member.do(http.MethodGet, call.path, nil)
		for _, want := range []string{"Robo", "before-it", "after-it", "Do it", "Expires in 10 minutes", `class="differs"`} {
			if !strings.Contains(member.body, want) {
				t.Errorf("the page does not show %q:\n%s", want, member.body)
			}
		}
		form := member.form(call.path)
		form.Set("decision", "do")
		member.do(http.MethodPost, call.path, form)
		op := call.ended()
		if op["estado"] != "ok" || e.nameOf(id) != "after-it" {
			t.Fatalf("approved, and: %v", op)
		}
		e.ok("build", "member", "partial_update_application", map[string]any{"application_id": id, "name": "later"})
		if response := member.do(http.MethodPost, call.path, form); response.StatusCode/100 == 5 {
			t.Errorf("the form once more: %d", response.StatusCode)
		}
		member.do(http.MethodGet, call.path, nil)
		if !strings.Contains(member.body, "It is done.") || e.nameOf(id) != "later" {
			t.Errorf("the same form acted twice: %v\n%s", e.nameOf(id), member.body)
		}
	})

	t.Run("what is refused ends with the person's words", func(t *testing.T) {
		id := e.app("stays")
		call := e.ask(agent, "delete_application", map[string]any{"application_id": id, "confirmacion": "stays"})
		member.decide(call, "refuse", "not on a\n Friday")
		failure := call.fails("sin_permiso", "aprobacion_denegada")
		if !strings.Contains(failure["que_paso"].(string), `"not on a Friday"`) {
			t.Errorf("the agent gets %v", failure)
		}
		if e.nameOf(id) != "stays" {
			t.Error("it was deleted")
		}
	})

	t.Run("a resource that changed after the look is a conflict", func(t *testing.T) {
		id := e.app("seen")
		call := rename(id, "wanted")
		member.do(http.MethodGet, call.path, nil)
		form := member.form(call.path)
		form.Set("decision", "do")
		e.ok("build", "member", "partial_update_application", map[string]any{"application_id": id, "name": "others"})
		member.do(http.MethodPost, call.path, form)
		call.fails("conflicto", "")
		if e.nameOf(id) != "others" {
			t.Errorf("it is called %v", e.nameOf(id))
		}
	})

	t.Run("a keyed call stays one operation", func(t *testing.T) {
		args := map[string]any{"name": "made-with-a-yes", "idempotency_key": "k1"}
		call := e.ask(agent, "create_application", args)
		if again := e.ask(agent, "create_application", args); again.id != call.id {
			t.Errorf("the repeat is %v, not %v", again.id, call.id)
		}
		member.decide(call, "do", "")
		if op := call.ended(); op["estado"] != "ok" {
			t.Fatalf("it ended as %v", op)
		}
		if again := e.ok("build", "", "create_application", args, agent); again["operacion_id"] != call.id || again["idempotente"] != true {
			t.Errorf("a repeat after the end: %v", again)
		}
	})

	t.Run("nobody answers in time", func(t *testing.T) {
		id := e.app("too-late")
		call := rename(id, "never")
		member.do(http.MethodGet, call.path, nil)
		form := member.form(call.path)
		form.Set("decision", "do")
		call.forge(func(op *operationv1.Operation) { op.CreatedAt = timestamppb.New(time.Now().Add(-10 * time.Minute)) })
		call.fails("sin_permiso", "aprobacion_expirada")
		member.do(http.MethodPost, call.path, form)
		call.fails("sin_permiso", "aprobacion_expirada")
		if e.nameOf(id) != "too-late" {
			t.Error("it was renamed")
		}
	})
}

// TestAnAgentCannotApproveItsOwnCall tries each door there is.
func TestAnAgentCannotApproveItsOwnCall(t *testing.T) {
	e := launch(t, fresh(t), hurried)
	member := e.visitor()
	agent := member.connect(e, "escrituras")
	id := e.app("target")
	call := e.ask(agent, "partial_update_application", map[string]any{"application_id": id, "name": "taken"})
	member.do(http.MethodGet, call.path, nil)
	good := member.form(call.path)
	good.Set("decision", "do")
	with := func(key, value string) url.Values {
		form := url.Values{}
		for k, v := range good {
			form[k] = v
		}
		form.Set(key, value)
		return form
	}

	outsider := e.visitor()
	outsider.signIn(call.path, e.ready.Tokens["admin"])
	if strings.Contains(outsider.body, "target") || !strings.Contains(outsider.body, "no such call") {
		t.Errorf("another person's session shows the call:\n%s", outsider.body)
	}
	stranger := e.visitor()
	stranger.do(http.MethodGet, call.path, nil)
	if strings.Contains(stranger.body, "target") || strings.Contains(stranger.body, "taken") {
		t.Errorf("the page tells a stranger about the call:\n%s", stranger.body)
	}
	doors := map[string]func(){
		"its access token at the page":        func() { stranger.do(http.MethodPost, call.path, good, agent) },
		"the person's form without a session": func() { stranger.do(http.MethodPost, call.path, good) },
		"another person's session":            func() { outsider.do(http.MethodPost, call.path, good) },
		"a guessed form token":                func() { member.do(http.MethodPost, call.path, with("form", strings.Repeat("A", 43))) },
		"no form token":                       func() { member.do(http.MethodPost, call.path, with("form", "")) },
		"another look at the resource":        func() { member.do(http.MethodPost, call.path, with("seen", strings.Repeat("00", 32))) },
		"a form from another site": func() {
			member.do(http.MethodPost, call.path, good, "Origin: https://evil.example", "Sec-Fetch-Site: cross-site")
		},
		"a link that decides": func() { member.do(http.MethodGet, call.path+"?"+good.Encode(), nil) },
		"a guessed address":   func() { stranger.do(http.MethodPost, call.path+"/approve", good, agent) },
		"another method":      func() { member.do(http.MethodPut, call.path, good) },
		"the form of another call of the link": func() {
			other := e.ask(agent, "partial_update_application", map[string]any{"application_id": id, "name": "harmless"})
			member.do(http.MethodGet, other.path, nil)
			form := member.form(other.path)
			form.Set("decision", "do")
			member.do(http.MethodPost, call.path, form)
		},
		"arguments, headers and an answer to a question": func() {
			e.call("build", "", "partial_update_application", map[string]any{"application_id": id, "name": "taken", "aprobado": true}, agent)
			e.call("build", "", "partial_update_application", map[string]any{"application_id": id, "name": "taken"}, agent, "X-Approved: yes")
		},
	}
	for name, try := range doors {
		try()
		if op := call.now(); op["fase"] != "esperando_aprobacion" {
			t.Fatalf("%s: %v", name, op)
		}
		call.waits()
	}

	t.Run("a host that writes into the store", func(t *testing.T) {
		approved := e.ask(agent, "partial_update_application", map[string]any{"application_id": e.app("donor"), "name": "donor-2"})
		member.decide(approved, "do", "")
		yes := approved.approval()
		approved.ended()
		for name, forged := range map[string]*operationv1.Approval{
			"no approval at all":         nil,
			"an invented approval":       {PersonId: yes.GetPersonId(), At: yes.GetAt(), Seen: yes.GetSeen(), Tag: make([]byte, len(yes.GetTag()))},
			"the approval of another op": yes,
		} {
			t.Run(name, func(t *testing.T) {
				victim := e.app("victim")
				call := e.ask(agent, "partial_update_application", map[string]any{"application_id": victim, "name": "taken"})
				call.forge(func(op *operationv1.Operation) {
					op.Phase, op.Approval = operationv1.Phase_PHASE_QUEUED, forged
				})
				call.fails("sin_permiso", "aprobacion_expirada")
				if got := e.nameOf(victim); got != "victim" {
					t.Errorf("it is called %v", got)
				}
			})
		}
		t.Run("an ended creation with its old approval", func(t *testing.T) {
			call := e.ask(agent, "create_application", map[string]any{"name": "made-once"})
			var sealed []byte
			call.forge(func(op *operationv1.Operation) { sealed = op.GetSealed() })
			member.decide(call, "do", "")
			made := call.ended()
			if made["estado"] != "ok" {
				t.Fatalf("it ended as %v", made)
			}
			id := made["resultado"].(map[string]any)["data"].(map[string]any)["id"]
			e.ok("build", "member", "delete_application", map[string]any{"application_id": id, "confirmacion": "made-once"})
			for name, again := range map[string]*operationv1.Step{
				"as if nothing was sent":    nil,
				"as if its effect was lost": {State: operationv1.Step_STATE_SENT, SentAt: timestamppb.New(time.Now().Add(-time.Minute)), Sends: 1},
			} {
				call.forge(func(op *operationv1.Operation) {
					op.State, op.Phase, op.Step, op.Error, op.Result = operationv1.State_STATE_RUNNING, operationv1.Phase_PHASE_QUEUED, again, nil, nil
					op.Sealed = sealed
				})
				call.fails("sin_permiso", "aprobacion_expirada")
				if list := e.ok("build", "member", "list_applications", map[string]any{"search": "made-once"}); strings.Contains(fmt.Sprint(list), "made-once") {
					t.Errorf("%s, and it was made again: %v", name, list)
				}
			}
		})
		t.Run("other arguments under a good approval", func(t *testing.T) {
			victim := e.app("victim-2")
			call := e.ask(agent, "partial_update_application", map[string]any{"application_id": victim, "name": "agreed"})
			member.do(http.MethodGet, call.path, nil)
			form := member.form(call.path)
			form.Set("decision", "do")
			call.forge(func(op *operationv1.Operation) {
				op.Arguments = []byte(strings.Replace(string(op.GetArguments()), "agreed", "stolen", 1))
			})
			if response := member.do(http.MethodPost, call.path, form); response.StatusCode != http.StatusForbidden {
				t.Errorf("the form for other arguments: %d", response.StatusCode)
			}
			call.waits()
		})
	})
	if got := e.nameOf(id); got != "target" {
		t.Errorf("the application is called %v", got)
	}
}
