package local

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// linkOf is the id of a person's own link.
func (e *everything) linkOf(person string) string {
	e.t.Helper()
	return e.ok("observe", person, "ver_contexto_inicial", nil)["enlace"].(map[string]any)["id"].(string)
}

// records are those on a page of the audit, and the cursor of the next one.
func records(page map[string]any) (all []map[string]any, cursor any) {
	wrapped, _ := page["registros"].(map[string]any)
	list, _ := wrapped["contenido"].([]any)
	for _, r := range list {
		all = append(all, r.(map[string]any))
	}
	return all, page["cursor"]
}

// paged reads every page of a search in the audit, and checks that none repeats
// what an earlier one had.
func (e *everything) paged(person, tool string, args map[string]any) (all []map[string]any, pages int) {
	e.t.Helper()
	seen := map[string]bool{}
	for pages = 1; pages < 100; pages++ {
		page, cursor := records(e.ok("observe", person, tool, args))
		for _, r := range page {
			id := r["llamada_id"].(string) + r["tipo"].(string)
			if seen[id] {
				e.t.Fatalf("two pages have %v", r)
			}
			seen[id] = true
			all = append(all, r)
		}
		if cursor == nil {
			return all, pages
		}
		args["cursor"] = cursor
	}
	e.t.Fatal("the pages of the audit do not end")
	return nil, 0
}

// fault makes the platform misbehave by these rules, or no more.
func (e *everything) fault(rules string) {
	e.t.Helper()
	request, err := http.NewRequestWithContext(e.t.Context(), http.MethodPut, strings.TrimSuffix(e.ready.Platform, "/v4")+"/_sandbox/faults", strings.NewReader(rules))
	if err != nil {
		e.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		e.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		e.t.Fatalf("the sandbox refused the rules: %s", response.Status)
	}
}

// until looks again until it is satisfied; the failure tells the last look.
func until(t *testing.T, within time.Duration, look func() string) {
	t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(20 * time.Millisecond) {
		fault := look()
		if fault == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %s", within, fault)
		}
	}
}

// TestAnAdministratorRevokesALink goes from the list of links to the end of all
// that the link could do, and then reads about it in the audit.
func TestAnAdministratorRevokesALink(t *testing.T) {
	e := launch(t, fresh(t), unhurried)
	member := e.linkOf("member")
	admin := e.linkOf("admin")

	for _, tool := range []string{"listar_enlaces", "revocar_enlace", "listar_auditoria"} {
		args := map[string]any{}
		if tool == "revocar_enlace" {
			args = map[string]any{"enlace_id": admin, "motivo": "x", "confirmado": true}
		}
		if detail := e.fails("observe", "member", tool, args)["detalle"].(map[string]any); detail["motivo"] != "admin" {
			t.Errorf("%s says to who is no administrator: %v", tool, detail)
		}
	}
	if listed := e.names("observe", "member"); slices.Contains(listed, "revocar_enlace") || !slices.Contains(listed, "listar_mi_auditoria") {
		t.Errorf("who is no administrator sees %v", listed)
	}

	states := map[string]any{}
	for cursor := any(nil); ; {
		args := map[string]any{"limit": 1}
		if cursor != nil {
			args["cursor"] = cursor
		}
		page := e.ok("observe", "admin", "listar_enlaces", args)
		for _, l := range page["enlaces"].([]any) {
			states[l.(map[string]any)["id"].(string)] = l.(map[string]any)["estado"]
		}
		if cursor = page["cursor"]; cursor == nil {
			break
		}
	}
	if states[member] != "activo" || states[admin] != "activo" {
		t.Errorf("page by page, the links are %v", states)
	}

	e.fault(`[{"method":"POST","path":"/workspace/workloads","kind":"status=429"}]`)
	running := e.ok("build", "member", "create_workload", map[string]any{"name": "never-made"})["operacion_id"]
	revoke := func(with map[string]any) map[string]any {
		with["enlace_id"] = member
		return with
	}
	if problem := e.fails("observe", "admin", "revocar_enlace", revoke(map[string]any{"motivo": "left"})); problem["code"] != "conflicto" {
		t.Errorf("not confirmed: %v", problem)
	}
	if problem := e.fails("observe", "admin", "revocar_enlace", revoke(map[string]any{"confirmado": true})); problem["code"] != "parametro_invalido" {
		t.Errorf("without a reason: %v", problem)
	}
	e.ok("observe", "admin", "revocar_enlace", revoke(map[string]any{"motivo": "left", "dry_run": true}))
	e.ok("build", "member", "listar_empresas", nil) // nothing has happened yet

	done := e.ok("observe", "admin", "revocar_enlace", revoke(map[string]any{"motivo": "left the company", "confirmado": true}))
	if link := done["enlace"].(map[string]any); link["id"] != member || link["estado"] != "revocado" || done["ya_revocado"] != false {
		t.Errorf("it answers %v", done)
	}
	until(t, time.Second, func() string {
		for area := range e.ready.Areas {
			if status, _ := e.call(area, "member", "listar_empresas", nil); status != http.StatusForbidden {
				return area + " answers " + http.StatusText(status)
			}
		}
		return ""
	})
	if again := e.ok("observe", "admin", "revocar_enlace", revoke(map[string]any{"motivo": "once more", "confirmado": true})); again["ya_revocado"] != true {
		t.Errorf("a second time it answers %v", again)
	}
	e.fault(`[]`)

	until(t, 20*time.Second, func() string {
		ended, _ := records(e.ok("observe", "admin", "listar_auditoria", map[string]any{"tipo": "operacion", "enlace_id": member}))
		if len(ended) == 1 && ended[0]["operacion_id"] == running && ended[0]["resultado"] == "sin_permiso" {
			return ""
		}
		return "the operation of the link did not end in sin_permiso"
	})
	made := e.ok("build", "admin", "list_workloads", nil)["results"].([]any)
	if slices.ContainsFunc(made, func(w any) bool { return w.(map[string]any)["name"] == "never-made" }) {
		t.Error("the workload was made for a link that was revoked")
	}
}

// TestTheAuditIsReadPageByPage by who may read it: an administrator all, anybody
// else what was called for them.
func TestTheAuditIsReadPageByPage(t *testing.T) {
	e := launch(t, fresh(t), unhurried)
	for range 5 {
		e.ok("build", "member", "list_applications", nil)
	}
	e.ok("docs", "reader", "listar_empresas", nil)
	e.fails("build", "reader", "create_application", map[string]any{"name": "refused"})
	link := e.linkOf("member")

	until(t, 10*time.Second, func() string {
		all, pages := e.paged("admin", "listar_auditoria", map[string]any{"enlace_id": link, "herramienta": "list_applications", "tipo": "llamada", "limit": 2})
		if len(all) != 5 || pages < 3 {
			return "the administrator does not find the five calls"
		}
		if !slices.IsSortedFunc(all, func(a, b map[string]any) int { return -strings.Compare(a["fecha"].(string), b["fecha"].(string)) }) {
			return "the newest is not first"
		}
		return ""
	})
	refused, _ := e.paged("admin", "listar_auditoria", map[string]any{"resultado": "sin_permiso", "herramienta": "create_application"})
	if len(refused) != 1 || refused[0]["motivo"] != "solo_lectura" || refused[0]["area"] != "build" {
		t.Errorf("the refused call: %v", refused)
	}
	own, _ := e.paged("reader", "listar_mi_auditoria", map[string]any{"limit": 3})
	tools := map[any]bool{}
	for _, r := range own {
		tools[r["herramienta"]] = true
		if r["persona_id"] != refused[0]["persona_id"] {
			t.Errorf("a reader sees what was called for somebody else: %v", r)
		}
	}
	if !tools["create_application"] || !tools["listar_empresas"] || tools["list_applications"] {
		t.Errorf("a reader sees calls of %v", tools)
	}
	if foreign, _ := e.paged("reader", "listar_mi_auditoria", map[string]any{"enlace_id": link}); len(foreign) > 0 {
		t.Errorf("by somebody else's link a reader sees %v", foreign)
	}
}
