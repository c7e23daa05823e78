package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/host"
)

// lite calls a tool of the small front and gives its result.
func (d *door) lite(tool, arguments string, headers ...string) map[string]any {
	d.t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	answer := d.send(http.MethodPost, "/mcp/lite", body, headers...).json(d.t)
	result, ok := answer["result"].(map[string]any)
	if !ok {
		d.t.Fatalf("%s: %v", tool, answer)
	}
	return result["structuredContent"].(map[string]any)
}

func (d *door) run(tool, arguments string, headers ...string) map[string]any {
	d.t.Helper()
	return d.lite("ejecutar_herramienta", `{"herramienta":"`+tool+`","argumentos":`+arguments+`}`, headers...)
}

func (d *door) found(words string, headers ...string) []string {
	d.t.Helper()
	question, err := json.Marshal(words)
	if err != nil {
		d.t.Fatal(err)
	}
	var names []string
	for _, one := range d.lite("buscar_herramientas", `{"consulta":`+string(question)+`}`, headers...)["herramientas"].([]any) {
		names = append(names, one.(map[string]any)["name"].(string))
	}
	return names
}

func TestTheSmallFrontListsTheCommonToolsAndTwoMore(t *testing.T) {
	d := open(t)
	want := []any{
		"buscar_herramientas", "cancelar_operacion", "ejecutar_herramienta", "listar_empresas", "listar_operaciones",
		"ping", "ver_contexto_inicial", "ver_operacion",
	}
	for who, destroys := range map[string]bool{asMember: true, asReader: false} {
		list := d.send(http.MethodPost, "/mcp/lite", listTools, who).json(t)["result"].(map[string]any)["tools"].([]any)
		var names []any
		for _, one := range list {
			tool := one.(map[string]any)
			names = append(names, tool["name"])
			hints := tool["annotations"].(map[string]any)
			if tool["name"] == "ejecutar_herramienta" && (hints["destructiveHint"] != destroys || hints["readOnlyHint"] == destroys) {
				t.Errorf("%s: what runs every tool says %v", who, hints)
			}
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Error(diff)
		}
	}
	if whole := d.send(http.MethodPost, "/mcp", listTools, asMember).body; strings.Contains(whole, "ejecutar_herramienta") {
		t.Error("who has every tool is offered a second way to each")
	}
}

func TestToolsAreFoundByWhatAPersonWouldSay(t *testing.T) {
	d := open(t)
	for words, first := range map[string]string{
		"strike a ship off": "delete_ship", "apagar ship": "delete_ship", "borrar un ship": "delete_ship",
		"quais ships": "list_ships", "order a tug": "order_tug", "empty holds": "empty_holds",
	} {
		if got := d.found(words, asMember); len(got) == 0 || got[0] != first {
			t.Errorf("%q finds %v, want %s first", words, got, first)
		}
	}
}

func TestWhatIsFoundComesWithItsWholeSchema(t *testing.T) {
	d := open(t)
	one := d.lite("buscar_herramientas", `{"consulta":"create_ship","limite":1}`, asMember)["herramientas"].([]any)
	if len(one) != 1 {
		t.Fatalf("%d tools, asked for 1", len(one))
	}
	tool := one[0].(map[string]any)
	schema := tool["inputSchema"].(map[string]any)
	if _, ok := schema["properties"].(map[string]any)["idempotency_key"]; !ok || tool["description"] == "" {
		t.Errorf("%v", tool)
	}
	if _, ok := schema["properties"].(map[string]any)["empresa_id"]; ok {
		t.Error("who has one company is asked to choose")
	}
	if diff := cmp.Diff(map[string]any{"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false}, tool["annotations"]); diff != "" {
		t.Error(diff)
	}
}

func TestNobodyFindsWhatTheyMayNotUse(t *testing.T) {
	d := open(t)
	for who, hidden := range map[string][]string{
		asReader: {"create_ship", "delete_ship", "list_tariffs"},
		asMember: {"list_tariffs", "create_captain"},
		asNarrow: {"create_ship", "list_tariffs"}, // ships outside the scope cannot be made
	} {
		for _, name := range hidden {
			for _, got := range d.found(name, who) {
				if got == name {
					t.Errorf("%s finds %s", who, name)
				}
			}
			if text := d.call(name+"x", `{}`, who)["error"].(map[string]any)["message"].(string); strings.Contains(text, "mean "+name+"?") {
				t.Errorf("%s is told: %s", who, text)
			}
		}
	}
	if got := d.found("list_tariffs", asAdmin); len(got) == 0 || got[0] != "list_tariffs" {
		t.Errorf("the administrator finds %v", got)
	}
}

func TestNoWordsFindNothingAndSayWhatToDo(t *testing.T) {
	d := open(t)
	for _, words := range []string{`""`, `"   "`, `"zzzqqq"`} {
		got := d.lite("buscar_herramientas", `{"consulta":`+words+`}`, asMember)
		if len(got["herramientas"].([]any)) != 0 || got["que_hacer"] == "" {
			t.Errorf("%s: %v", words, got)
		}
	}
	if got := d.lite("buscar_herramientas", `{"consulta":"ship","limite":99}`, asMember); got["limit_ajustado"].(map[string]any)["aplicado"] != json.Number("20") {
		t.Errorf("%v", got["limit_ajustado"])
	}
}

func TestARunIsTheVeryCallThatItNames(t *testing.T) {
	var seen []call.Call
	d := open(t, func(_ *host.Area, _ *host.Config, w *host.Wiring) {
		w.Stages = func(names guard.Namer) host.Stages {
			return host.Stages{
				Audit: func(next call.Handler) call.Handler {
					return func(ctx context.Context, c *call.Call) (*call.Answer, error) {
						seen = append(seen, *c)
						return next(ctx, c)
					}
				},
				Guard: guard.Stage(guard.Options{Names: names}),
			}
		}
	})
	d.platform.says(200, `{"data":{"id":9007199254740993,"name":"Boa"}}`)
	got := d.run("create_ship", `{"name":"Boa","idempotency_key":"k1"}`, asMember)
	if got["data"].(map[string]any)["id"] != json.Number("9007199254740993") {
		t.Errorf("%v", got)
	}
	if len(seen) != 1 || seen[0].Tool.Name != "create_ship" || seen[0].Profile != "lite" || seen[0].IdempotencyKey != "k1" {
		t.Errorf("the audit sees %+v", seen)
	}
	if sent := d.platform.requests()[0]; sent.Method != http.MethodPost || sent.URL.Path != "/v4/ships" {
		t.Errorf("%s %s", sent.Method, sent.URL)
	}
	for name, c := range map[string]struct{ tool, arguments, who, code string }{
		"a wrong argument of the inner tool":     {"retrieve_ship", `{"ship_id":"x"}`, asMember, "parametro_invalido"},
		"a deletion that nobody confirmed":       {"delete_ship", `{"ship_id":3}`, asMember, "conflicto"},
		"a write of a reader":                    {"create_ship", `{"name":"Boa"}`, asReader, "sin_permiso"},
		"an administrator's tool":                {"list_tariffs", `{}`, asMember, "sin_permiso"},
		"what no agent may do":                   {"create_captain", `{}`, asMember, "sin_permiso"},
		"a ship outside the scope":               {"retrieve_ship", `{"ship_id":4}`, asNarrow, "sin_permiso"},
		"a tool that does not exist":             {"retrieve_shp", `{}`, asMember, "parametro_invalido"},
		"itself":                                 {"ejecutar_herramienta", `{}`, asMember, "parametro_invalido"},
		"the search":                             {"buscar_herramientas", `{"consulta":"x"}`, asMember, "parametro_invalido"},
		"arguments that are a list":              {"list_ships", `[]`, asMember, "parametro_invalido"},
		"arguments that are a text of something": {"list_ships", `"{x"`, asMember, "parametro_invalido"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := d.run(c.tool, c.arguments, c.who); got["code"] != c.code {
				t.Errorf("%v, want %s", got, c.code)
			}
		})
	}
}

func TestArgumentsMayBeMissingOrAText(t *testing.T) {
	d := open(t)
	d.platform.says(200, `{"count":1,"results":[{"id":1,"name":"Boa"}]}`)
	for _, arguments := range []string{`{"herramienta":"list_ships"}`, `{"herramienta":"list_ships","argumentos":null}`, `{"herramienta":"list_ships","argumentos":"{\"limit\":\"1\"}"}`} {
		if got := d.lite("ejecutar_herramienta", arguments, asMember); len(got["results"].([]any)) != 1 {
			t.Errorf("%s: %v", arguments, got)
		}
	}
	if sent := d.platform.requests()[2].URL.Query(); sent.Get("page_size") != "1" {
		t.Errorf("%v", sent)
	}
}

func TestADryRunStandsInsideTheArguments(t *testing.T) {
	d := open(t)
	if got := d.run("create_ship", `{"name":"Boa","dry_run":true}`, asMember); got["dry_run"] != true || got["method"] != "POST" {
		t.Errorf("%v", got)
	}
	got := d.lite("ejecutar_herramienta", `{"herramienta":"create_ship","dry_run":true,"argumentos":{"name":"Boa"}}`, asMember)
	if got["code"] != "parametro_invalido" || !strings.Contains(got["que_hacer"].(string), "argumentos") {
		t.Errorf("%v", got)
	}
	if sent := d.platform.requests(); len(sent) != 0 {
		t.Errorf("%d requests were sent", len(sent))
	}
}

func TestWhatDoesNotExistNamesWhatWasMeant(t *testing.T) {
	d := open(t)
	got := d.run("get_ship", `{}`, asMember)
	if near := got["detalle"].(map[string]any)["candidatos"].([]any); near[0].(map[string]any)["id"] != "retrieve_ship" {
		t.Errorf("%v", near)
	}
	for path, c := range map[string]struct{ tool, want string }{
		"/mcp":       {"list_ship", "Unknown tool: list_ship; did you mean list_ships?"},
		"/mcp/lite":  {"list_ships", "Unknown tool: list_ships; here it is called with ejecutar_herramienta"},
		"/mcp/ships": {"order_tug", "Unknown tool: order_tug; it is not in this profile, but at /mcp"},
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + c.tool + `"}}`
		if text := d.send(http.MethodPost, path, body, asMember).json(t)["error"].(map[string]any)["message"]; text != c.want {
			t.Errorf("%s: %v", path, text)
		}
	}
}

func TestLongWorkBehindTheSmallFrontIsAnOperation(t *testing.T) {
	d := open(t)
	got := d.run("order_tug", `{"ship_id":3,"idempotency_key":"k"}`, asMember)
	if got["estado"] != "en_curso" || d.lite("ver_operacion", `{"operacion_id":"`+got["operacion_id"].(string)+`"}`, asMember)["herramienta"] != "order_tug" {
		t.Errorf("%v", got)
	}
}

func TestAnAnswerOfTheSearchStaysInItsBounds(t *testing.T) {
	d := open(t, func(a *host.Area, _ *host.Config, _ *host.Wiring) { a.Documents = largeDocuments(30, 12_000) })
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"buscar_herramientas","arguments":{"consulta":"list crates","limite":20}}}`
	result := d.send(http.MethodPost, "/mcp/lite", body, asMember).json(t)["result"].(map[string]any)
	text := result["content"].([]any)[0].(map[string]any)["text"].(string)
	if n := utf8.RuneCountInString(text); n > 60_000 || n < 20_000 {
		t.Errorf("%d characters", n)
	}
	tools := result["structuredContent"].(map[string]any)["herramientas"].([]any)
	if len(tools) < 3 || result["structuredContent"].(map[string]any)["herramientas_recortado"] != json.Number("20") {
		t.Errorf("%d tools, and it is not said how many there are", len(tools))
	}
	last := tools[len(tools)-1].(map[string]any)
	if uri := "azion://schemas/" + last["name"].(string); !strings.Contains(last["description"].(string), uri) {
		t.Errorf("a short schema does not say where the whole one is: %v", last["description"])
	}
	read := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"azion://schemas/` + last["name"].(string) + `"}}`
	if body := d.send(http.MethodPost, "/mcp/lite", read, asMember).body; !strings.Contains(body, "inputSchema") {
		t.Errorf("the whole schema cannot be read: %.200s", body)
	}
}

// largeDocuments are tools whose complete schemas have about size bytes each.
func largeDocuments(tools, size int) fs.FS {
	var doc strings.Builder
	doc.WriteString("openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths:\n")
	for i := range tools {
		fmt.Fprintf(&doc, "  /crates%d:\n    get:\n      operationId: list_crates_%d\n      summary: List crates\n      x-mcp: {effect: read}\n      parameters:\n", i, i)
		for n := range size / 120 {
			fmt.Fprintf(&doc, "        - {name: field_%d, in: query, description: %s, schema: {type: string}}\n", n, strings.Repeat("word ", 16))
		}
		doc.WriteString("      responses: {'204': {description: none}}\n")
	}
	return fstest.MapFS{"crates.yaml": {Data: []byte(doc.String())}}
}
