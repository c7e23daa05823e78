package host_test

import (
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

const portuguese = "Accept-Language: pt-BR"

func TestWhatIsWrongWithAnArgumentIsSaidInTheCallersLanguage(t *testing.T) {
	d := open(t)
	for language, want := range map[string]string{
		"en": `must be an integer, not the text "twelve"`, "pt-BR": `precisa ser um inteiro, não o texto "twelve"`, "es": `debe ser un entero, no el texto "twelve"`,
	} {
		failure := d.fails(problem.ParametroInvalido, "retrieve_ship", `{"ship_id":"twelve"}`, asMember, "Accept-Language: "+language)
		fields := failure["detalle"].(map[string]any)["fields"].(map[string]any)
		if fields["ship_id"] != want || !strings.Contains(failure["que_paso"].(string), want) {
			t.Errorf("%s: %v", language, failure)
		}
	}
}

func TestSentencesInsideOfAnswersAreSaidInTheCallersLanguage(t *testing.T) {
	d := open(t)
	d.platform.says(200, `{"data":{"id":12,"name":"Boa","log":"Nothing was sent."}}`)
	context := d.ok("ver_contexto_inicial", `{}`, asMember, portuguese)
	if next := context["siguiente"].([]any); !strings.HasPrefix(next[1].(string), "Uma ferramenta de lista mostra") {
		t.Errorf("%v", next)
	}
	tried := d.ok("partial_update_ship", `{"ship_id":12,"name":"Nova","dry_run":true}`, asMember, portuguese)
	if !strings.HasPrefix(tried["advertencia"].(string), "Nada foi enviado.") {
		t.Errorf("%v", tried)
	}
	log := d.ok("retrieve_ship", `{"ship_id":12}`, asMember, portuguese)["data"].(map[string]any)["log"].(map[string]any)
	if !strings.HasPrefix(log["advertencia"].(string), "Outra pessoa escreveu isto.") || log["contenido"] != "Nothing was sent." {
		t.Errorf("%v", log)
	}
}

// TestAStoredProblemIsSaidInTheLanguageOfWhoeverAsks, which need not be that of
// whoever began the operation.
func TestAStoredProblemIsSaidInTheLanguageOfWhoeverAsks(t *testing.T) {
	d := open(t)
	begun := d.ok("order_tug", `{"ship_id":12}`, asMember)
	d.ops.mu.Lock()
	op := d.ops.all[0]
	operation.Fail(op, problem.New(problem.ParametroInvalido, "The argument %s is wrong: %s", "ship_id", problem.Sentence{Format: "must be at most %d for this list", Args: []any{int64(9)}}).
		Field("ship_id", problem.Sentence{Format: "is missing"}))
	if op.GetState() != operationv1.State_STATE_ERROR {
		t.Fatal("it did not fail")
	}
	d.ops.mu.Unlock()
	asked := `{"operacion_id":"` + begun["operacion_id"].(string) + `"}`
	for language, want := range map[string][2]string{
		"en":    {"The argument ship_id is wrong: must be at most 9 for this list", "is missing"},
		"pt-BR": {"O argumento ship_id está errado: precisa ser no máximo 9 para esta lista", "está faltando"},
	} {
		failure := d.ok("ver_operacion", asked, asMember, "Accept-Language: "+language)["error"].(map[string]any)
		fields := failure["detalle"].(map[string]any)["fields"].(map[string]any)
		if failure["que_paso"] != want[0] || fields["ship_id"] != want[1] || len(failure) != 6 {
			t.Errorf("%s: %v", language, failure)
		}
	}
}
