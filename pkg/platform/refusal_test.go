package platform

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

func TestRefusalsByStatus(t *testing.T) {
	form := func(detail string) string {
		return `{"errors":[{"status":"400","code":"10000","title":"Bad","detail":"` + detail + `"}]}`
	}
	for name, c := range map[string]struct {
		status int
		body   string
		code   problem.Code
		reason string
		again  bool
	}{
		"400":           {400, form("no"), problem.ParametroInvalido, "", false},
		"400 no JSON":   {400, "x", problem.ParametroInvalido, "", false},
		"401":           {401, form("no"), problem.SinPermiso, problem.CredencialInvalida, false},
		"403":           {403, form("no"), problem.SinPermiso, problem.Plataforma, false},
		"403 of a WAF":  {403, gatewayPage, problem.SinPermiso, problem.Plataforma, false},
		"404":           {404, form("no"), problem.NoEncontrado, "", false},
		"405":           {405, form("no"), problem.Interno, "", true},
		"406":           {406, form("no"), problem.Interno, "", true},
		"409":           {409, form("name taken"), problem.Conflicto, "", false},
		"413":           {413, "", problem.ParametroInvalido, "", false},
		"422":           {422, form("no"), problem.ParametroInvalido, "", false},
		"423":           {423, form("no"), problem.EstadoInvalido, "", true},
		"429":           {429, form("no"), problem.LimiteExcedido, "", true},
		"500 by itself": {500, form("broken"), problem.EstadoInvalido, problem.ResultadoDesconocido, false},
		"503 by itself": {503, form("down"), problem.EstadoInvalido, problem.ResultadoDesconocido, false},
		"501":           {501, "", problem.Interno, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			stub := newStub(t, answerJSON(c.status, c.body))
			time := &clock{}
			client, _ := clientOf(t, stub.URL, virtual(time))
			_, err := client.Do(t.Context(), withID(updateThing, "42"))
			p := problem.As(err)
			if p.Code != c.code || p.Reason() != c.reason || p.Retryable != c.again || p.Upstream != c.status {
				t.Errorf("%s, %q, retryable %t, upstream %d", p.Code, p.Reason(), p.Retryable, p.Upstream)
			}
			if p.Do.String() == "" || strings.Contains(sentences(p), "<") {
				t.Errorf("sentences %s", sentences(p))
			}
		})
	}
}

func TestFieldErrorsAreNamedAsArguments(t *testing.T) {
	stub := newStub(t, answerJSON(400, `{"errors":[
		{"code":"10000","title":"Validation Error","detail":"Must be at least 3 characters.","source":{"pointer":"/name"}},
		{"code":"10001","detail":"Not a boolean.","source":{"pointer":"/data/attributes/modules/cache/rules/2/on"}},
		{"detail":"Unknown thing.","source":{"parameter":"thing_id"}},
		{"title":"Bad header","source":{"header":"X-Else"}}]}`))
	client, _ := clientOf(t, stub.URL)
	_, err := client.Do(t.Context(), withID(updateThing, "42"))
	p := problem.As(err)
	want := map[string]string{
		"name":                      "Must be at least 3 characters.",
		"modules.cache.rules[2].on": "Not a boolean.",
		"thing_id":                  "Unknown thing.",
		"X-Else":                    "Bad header",
	}
	if diff := cmp.Diff(want, p.Detail["fields"]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"10000", "10001"}, p.Detail["codigos"]); diff != "" {
		t.Error(diff)
	}
	if got, want := p.What.String(), "The platform refused the arguments of update_thing: Must be at least 3 characters; Not a boolean; Unknown thing."; got != want {
		t.Errorf("%q", got)
	}

	t.Run("in a whole body and in paging", func(t *testing.T) {
		whole := platformError{}
		whole.Source.Pointer = "/urls/0"
		if got := argumentOf(Request{Tool: purgeThings}, whole); got != "body.urls[0]" {
			t.Error(got)
		}
		paging := platformError{}
		paging.Source.Parameter = "page_size"
		if got := argumentOf(Request{Tool: listThings}, paging); got != "limit" {
			t.Error(got)
		}
	})
}

func TestWhatIsGoneIsNamed(t *testing.T) {
	stub := newStub(t, answerJSON(404, `{"errors":[{"detail":"Not found."}]}`))
	client, _ := clientOf(t, stub.URL)
	for _, request := range []Request{withID(retrieveThing, "9007199254740993"), withID(updateThing, "9007199254740993")} {
		_, err := client.Do(t.Context(), request)
		p := problem.As(err)
		if p.Code != problem.NoEncontrado || p.Retryable || p.What.String() != "The platform has nothing at thing_id 9007199254740993." {
			t.Errorf("%v", p)
		}
	}
	got, err := client.Do(t.Context(), withID(deleteThing, "42"))
	if err != nil || got.Value["already_absent"] != true {
		t.Errorf("deletion: %v, %v", got, err)
	}
	if n := len(stub.requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestAGatewaysPageDoesNotMakeADeletionDone(t *testing.T) {
	stub := newStub(t, answer(404, "text/html", gatewayPage))
	client, _ := clientOf(t, stub.URL)
	if _, err := client.Do(t.Context(), withID(deleteThing, "42")); !problem.Is(err, problem.NoEncontrado) {
		t.Errorf("error %v", err)
	}
}
