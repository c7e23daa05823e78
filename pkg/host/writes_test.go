package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

func TestADeletionNeedsTheExactName(t *testing.T) {
	for name, c := range map[string]struct {
		arguments string
		code      problem.Code // "": it runs
	}{
		"no confirmation":        {`{"ship_id":12}`, problem.Conflicto},
		"another name":           {`{"ship_id":12,"confirmacion":"boa"}`, problem.Conflicto},
		"the exact name":         {`{"ship_id":12,"confirmacion":"São João"}`, ""},
		"the name in other form": {`{"ship_id":12,"confirmacion":"Sa\u0303o Joa\u0303o"}`, ""},
		"a dry run needs none":   {`{"ship_id":12,"dry_run":true}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			d.platform.answer(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodDelete {
					w.WriteHeader(http.StatusNoContent)
					return
				}
				_, _ = io.WriteString(w, `{"data":{"id":12,"name":"São João"}}`)
			})
			if c.code == "" {
				d.ok("delete_ship", c.arguments, asMember)
				return
			}
			failure := d.fails(c.code, "delete_ship", c.arguments, asMember)
			if do := failure["que_hacer"].(string); !strings.Contains(do, "confirmacion") || strings.Contains(do, "São") {
				t.Errorf("que_hacer: %s", do)
			}
			for _, r := range d.platform.requests() {
				if r.Method == http.MethodDelete {
					t.Error("it was deleted")
				}
			}
		})
	}
	d := open(t)
	d.platform.says(200, `{"data":{"id":12}}`)
	failure := d.fails(problem.Conflicto, "empty_holds", `{"ship_id":12}`, asMember)
	if !strings.Contains(failure["que_hacer"].(string), "confirmado: true") {
		t.Error(failure)
	}
	d.ok("empty_holds", `{"ship_id":12,"confirmado":true}`, asMember)
}

func TestADryRunShowsTheRequestAndSendsNothing(t *testing.T) {
	d := open(t)
	own := d.ok("create_ship", `{"name":"Boa","key":"CANARYkey","dry_run":true}`, asMember)
	if own["dry_run"] != true || own["method"] != "POST" || own["url"] != d.platform.url+"/ships" {
		t.Error(own)
	}
	if got := own["headers"].(map[string]any)["Authorization"]; got != "Token CANARYmember" {
		t.Errorf("one's own token is not shown: %v", got)
	}
	if !strings.Contains(own["advertencia"].(string), "token") {
		t.Error(own["advertencia"])
	}
	if diff := cmp.Diff(map[string]any{"name": "Boa", "key": "[redacted]"}, own["body"]); diff != "" {
		t.Error(diff)
	}
	agent := d.ok("create_ship", `{"name":"Boa","key":"CANARYkey","dry_run":true}`, asAgent)
	if got := agent["headers"].(map[string]any)["Authorization"]; got != "[redacted]" {
		t.Errorf("an agent sees %v", got)
	}
	if strings.Contains(fmt.Sprint(agent), "CANARY") {
		t.Error("an agent sees a secret")
	}
	if n := len(d.platform.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestLongWorkIsStoredAndAnsweredAtOnce(t *testing.T) {
	d := open(t)
	got := d.ok("order_tug", `{"ship_id":12,"pilot_code":"CANARYcode","idempotency_key":"k"}`, asMember)
	if len(got) != 4 || got["estado"] != "en_curso" || got["fase"] != "en_cola" || got["reintentar_en_segundos"] == nil {
		t.Error(got)
	}
	op := d.ops.all[0]
	if op.GetId() != got["operacion_id"] || op.GetTool() != "order_tug" || op.GetArea() != "harbour" || op.GetCompanyId() != 7 ||
		op.GetLinkId() != "pt_member" || op.GetIdempotencyKey() != "k" || op.GetCallId() == "" {
		t.Errorf("stored: %v", op)
	}
	if string(op.GetArguments()) != `{"ship_id":12}` {
		t.Errorf("arguments: %s", op.GetArguments())
	}
	if d.seals.payload != `{"pilot_code":"CANARYcode"}` || string(d.seals.authorization) != "Token CANARYmember" {
		t.Errorf("sealed: %s", d.seals.payload)
	}
	if len(d.platform.requests()) != 0 {
		t.Error("the host asked the platform itself")
	}
	seen := d.ok("ver_operacion", `{"operacion_id":"`+op.GetId()+`"}`, asMember)
	if len(seen) != 12 || seen["herramienta"] != "order_tug" {
		t.Error(seen)
	}
	d.fails(problem.NoEncontrado, "ver_operacion", `{"operacion_id":"`+op.GetId()+`"}`, asAdmin)
	if all := d.ok("listar_operaciones", `{}`, asMember); len(all["operaciones"].([]any)) != 1 || all["total"] != json.Number("1") {
		t.Error(all)
	}
	if ended := d.ok("cancelar_operacion", `{"operacion_id":"`+op.GetId()+`"}`, asMember); ended["fase"] != "cancelada" {
		t.Error(ended)
	}
}

func TestWhoWaitsGetsTheWholeOperationIfItEnded(t *testing.T) {
	d := open(t)
	if got := d.ok("order_tug", `{"ship_id":12,"esperar_segundos":1}`, asMember); len(got) != 4 {
		t.Errorf("still running: %v", got)
	}
	d2 := open(t, func(_ *host.Area, _ *host.Config, w *host.Wiring) { w.Operations = ending{&operations{}} })
	got := d2.ok("order_tug", `{"ship_id":12,"esperar_segundos":1}`, asMember)
	if got["estado"] != "ok" || got["resultado"].(map[string]any)["id"] != json.Number("9007199254740993") {
		t.Error(got)
	}
}

// ending ends every operation as soon as somebody waits.
type ending struct{ *operations }

func (e ending) Submit(ctx context.Context, op *operationv1.Operation) error {
	op.State, op.Phase, op.Result = operationv1.State_STATE_OK, operationv1.Phase_PHASE_DONE, []byte(`{"id":9007199254740993}`)
	return e.operations.Submit(ctx, op)
}

func TestLongWorkThatCannotBeStoredIsNotBegun(t *testing.T) {
	d := open(t)
	d.seals.err = errAway
	failure := d.fails(problem.EstadoInvalido, "order_tug", `{"ship_id":12}`, asMember)
	if failure["reintentable"] != true || failure["reintentar_en_segundos"] == nil || strings.Contains(fmt.Sprint(failure), "10.9") {
		t.Error(failure)
	}
	if len(d.ops.all) != 0 {
		t.Error("it was stored")
	}
}

func fleet(n int) string {
	var items []string
	for i := 1; i <= n; i++ {
		items = append(items, fmt.Sprintf(`{"id":%d,"name":"ship %d"}`, i, i))
	}
	return fmt.Sprintf(`{"count":%d,"results":[%s]}`, n, strings.Join(items, ","))
}

func TestALimitOutsideTheRangeIsClampedAndTold(t *testing.T) {
	d := open(t)
	d.platform.says(200, fleet(3))
	for arguments, want := range map[string]any{
		`{}`:              nil,
		`{"limit":200}`:   nil,
		`{"limit":201}`:   map[string]any{"pedido": json.Number("201"), "aplicado": json.Number("200")},
		`{"limit":0}`:     map[string]any{"pedido": json.Number("0"), "aplicado": json.Number("1")},
		`{"limit":-5}`:    map[string]any{"pedido": json.Number("-5"), "aplicado": json.Number("1")},
		`{"limit":1e30}`:  map[string]any{"pedido": json.Number("1" + strings.Repeat("0", 30)), "aplicado": json.Number("200")},
		`{"limit":"500"}`: map[string]any{"pedido": json.Number("500"), "aplicado": json.Number("200")},
	} {
		if diff := cmp.Diff(want, d.ok("list_ships", arguments, asMember)["limit_ajustado"]); diff != "" {
			t.Errorf("%s: %s", arguments, diff)
		}
	}
}

func TestANarrowScopeSeesAndCountsItsOwnOnly(t *testing.T) {
	d := open(t)
	d.platform.says(200, fleet(30))
	got := d.ok("list_ships", `{"limit":1,"page":2}`, asNarrow)
	if got["count"] != json.Number("2") || len(got["results"].([]any)) != 1 || got["results"].([]any)[0].(map[string]any)["id"] != json.Number("12") {
		t.Error(got)
	}
	if got := d.ok("list_ships", `{"page":9}`, asNarrow); len(got["results"].([]any)) != 0 {
		t.Error(got)
	}
}

func TestWhatIsNotFoundComesWithCandidates(t *testing.T) {
	d := open(t)
	list := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v4/ships" {
				w.WriteHeader(404)
				_, _ = io.WriteString(w, `{"detail":"Not found."}`)
				return
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, fleet(30))
		}
	}
	d.platform.answer(list(200))
	candidates := func(as string) []any {
		failure := d.fails(problem.NoEncontrado, "retrieve_ship", `{"ship_id":3}`, as)
		found, _ := failure["detalle"].(map[string]any)["candidatos"].([]any)
		return found
	}
	if got := candidates(asMember); len(got) != 10 || fmt.Sprint(got[0]) != "map[id:1 name:ship 1]" {
		t.Error(got)
	}
	if got := candidates(asNarrow); len(got) != 2 {
		t.Errorf("a narrow scope is told of %v", got)
	}
	d.platform.answer(list(403))
	if got := candidates(asMember); got != nil {
		t.Error(got)
	}
}

func TestAWriteThatFailsTellsItsStatus(t *testing.T) {
	d := open(t)
	d.platform.answer(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(502)
		_, _ = io.WriteString(w, "<html>CANARYpage nginx</html>")
	})
	failure := d.fails(problem.EstadoInvalido, "create_ship", `{"name":"Boa"}`, asMember)
	if failure["reintentable"] != false || failure["detalle"].(map[string]any)["motivo"] != "resultado_desconocido" ||
		strings.Contains(fmt.Sprint(failure), "CANARY") {
		t.Error(failure)
	}
}

// own is a hand-written tool of the area.
func own(name string, run call.Handler) option {
	return func(area *host.Area, _ *host.Config, _ *host.Wiring) {
		area.Tools = func(host.Deps) ([]host.Tool, error) {
			tool, err := catalog.HandTool(catalog.Tool{Name: name, Title: name, Description: "A tool.", Effect: catalog.Read}, struct{}{}, nil)
			return []host.Tool{{Tool: tool, Run: run}}, err
		}
	}
}

func TestWhatAToolFailsWithStaysInside(t *testing.T) {
	for name, run := range map[string]call.Handler{
		"an error": func(context.Context, *call.Call) (*call.Answer, error) {
			return nil, errors.New("dial tcp 10.9.8.7:5432: CANARY")
		},
		"a panic": func(context.Context, *call.Call) (*call.Answer, error) { panic("CANARY at 10.9.8.7") },
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, own("sink", run))
			failure := d.fails(problem.Interno, "sink", `{}`, asMember)
			if failure["correlacion_id"] == "" || failure["reintentable"] != true || strings.Contains(fmt.Sprint(failure), "CANARY") {
				t.Error(failure)
			}
		})
	}
}

func TestAGuideIsTextBesideItsObject(t *testing.T) {
	d := open(t, own("guide", func(context.Context, *call.Call) (*call.Answer, error) {
		return &call.Answer{Text: "# Title", Value: map[string]any{"uri": "azion://g", "text": "# Title"}}, nil
	}))
	result := d.call("guide", `{}`, asMember)["result"].(map[string]any)
	if text := result["content"].([]any)[0].(map[string]any)["text"]; text != "# Title" {
		t.Error(text)
	}
	if diff := cmp.Diff(map[string]any{"uri": "azion://g", "text": "# Title"}, result["structuredContent"]); diff != "" {
		t.Error(diff)
	}
}

func TestSentencesComeInTheCallersLanguage(t *testing.T) {
	d := open(t)
	english := d.fails(problem.SinPermiso, "create_ship", `{"name":"x"}`, asReader)
	if english["que_paso"] != "create_ship changes things, and this link may only read." {
		t.Error(english)
	}
	for _, language := range []string{"pt-BR", "es", "xx"} {
		d.fails(problem.SinPermiso, "create_ship", `{"name":"x"}`, asReader, "Accept-Language: "+language)
	}
}

func TestTheInitialContextSaysWhoAndWhat(t *testing.T) {
	d := open(t)
	got := d.ok("ver_contexto_inicial", `{}`, asNarrow)
	client := got["cliente"].(map[string]any)
	if name := client["nombre"].(map[string]any); name["origen"] != "no_confiable" || name["contenido"] != "Nice Agent" {
		t.Errorf("a client that named itself: %v", name)
	}
	if got["enlace"].(map[string]any)["sesion_hasta"] != "2030-01-02T03:04:05Z" {
		t.Error(got["enlace"])
	}
	scope := got["alcance"].(map[string]any)
	ships := map[string]any{"todos": false, "ids": []any{"12", "3"}, "total": json.Number("2")}
	resources := scope["recursos"].(map[string]any)
	if diff := cmp.Diff(ships, resources["ship"]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"todos": true, "ids": []any{}, "total": json.Number("0")}, resources["application"]); diff != "" {
		t.Error(diff)
	}
	never, _ := got["nunca"].([]any)
	var names []string
	for _, item := range never {
		names = append(names, item.(map[string]any)["herramienta"].(string))
	}
	if diff := cmp.Diff([]string{
		"create_captain", "iniciar_sesion", "crear_token_personal", "ver_token_personal", "gestionar_miembros",
		"gestionar_roles", "gestionar_facturacion", "aprobar_llamada", "ver_secreto",
	}, names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"herramienta": "create_captain", "motivo": "people choose their captains themselves"}, never[0]); diff != "" {
		t.Error(diff)
	}
	for _, key := range []string{"persona", "cliente", "enlace", "alcance", "nunca", "siguiente", "limites"} {
		if got[key] == nil {
			t.Errorf("%s is missing", key)
		}
	}
	if name := d.ok("ver_contexto_inicial", `{}`, asMember)["cliente"].(map[string]any)["nombre"]; name != "personal token" {
		t.Error(name)
	}
	want := map[string]any{"empresas": []any{map[string]any{"id": json.Number("7"), "nombre": "Acme Ltda"}}}
	if diff := cmp.Diff(want, d.ok("listar_empresas", `{}`, asMember)); diff != "" {
		t.Error(diff)
	}
}

func TestNoCredentialIsEverInAnAnswer(t *testing.T) { // B79
	d := open(t)
	d.platform.answer(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(400)
		_, _ = io.WriteString(w, `{"errors":[{"detail":"bad header `+r.Header.Get("Authorization")+`"}]}`)
	})
	for _, as := range []string{asMember, asAgent} {
		got := d.call("retrieve_ship", `{"ship_id":1}`, as)
		if text := fmt.Sprint(got); strings.Contains(text, "CANARYmember") {
			t.Errorf("%s: %s", as, text)
		}
	}
}

func TestAHandWrittenWriteNeedsItsOwnPreview(t *testing.T) {
	ran := false
	write := func(preview call.Handler) option {
		return func(area *host.Area, _ *host.Config, _ *host.Wiring) {
			area.Tools = func(host.Deps) ([]host.Tool, error) {
				tool, err := catalog.HandTool(catalog.Tool{Name: "paint", Title: "Paint", Description: "Paints.", Effect: catalog.Write}, struct{}{}, nil)
				return []host.Tool{{Tool: tool, Preview: preview, Run: func(context.Context, *call.Call) (*call.Answer, error) {
					ran = true
					return &call.Answer{}, nil
				}}}, err
			}
		}
	}
	d := open(t, write(nil))
	d.fails(problem.ParametroInvalido, "paint", `{"dry_run":true}`, asMember)
	d = open(t, write(func(context.Context, *call.Call) (*call.Answer, error) {
		return &call.Answer{Value: map[string]any{"dry_run": true}}, nil
	}))
	if got := d.ok("paint", `{"dry_run":true}`, asMember); got["dry_run"] != true || ran {
		t.Errorf("%v, ran %v", got, ran)
	}
}
