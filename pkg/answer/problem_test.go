package answer_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

func TestAProblemHasTheContractsForm(t *testing.T) {
	for name, c := range map[string]struct {
		problem *problem.Problem
		want    map[string]any
	}{
		"no_encontrado": {
			problem.New(problem.NoEncontrado, "No application %d.", 7).ToDo("Look it up."),
			obj("error", true, "code", "no_encontrado", "que_paso", "No application 7.", "que_hacer", "Look it up.", "reintentable", false, "detalle", obj()),
		},
		"limite_excedido waits at least a second and names 429": {
			problem.New(problem.LimiteExcedido, "Slow down.").ToDo("Wait.").With("limite", "llamadas"),
			obj("error", true, "code", "limite_excedido", "que_paso", "Slow down.", "que_hacer", "Wait.", "reintentable", true,
				"reintentar_en_segundos", int64(1), "detalle", obj("limite", "llamadas", "status", 429)),
		},
		"part of a second counts as a whole one": {
			problem.New(problem.EstadoInvalido, "Not yet.").ToDo("Wait.").After(2100 * time.Millisecond),
			obj("error", true, "code", "estado_invalido", "que_paso", "Not yet.", "que_hacer", "Wait.", "reintentable", true,
				"reintentar_en_segundos", int64(3), "detalle", obj()),
		},
		"interno names the call and hides its cause": {
			problem.As(errors.New("dial tcp 10.0.0.7:5432: refused")),
			obj("error", true, "code", "interno", "que_paso", "Something unexpected happened on our side.",
				"que_hacer", "Repeat the call once. If it fails again, report the correlacion_id to the operator.",
				"reintentable", true, "correlacion_id", "01CALL", "detalle", obj()),
		},
		"an unknown outcome is not to be repeated": {
			problem.New(problem.EstadoInvalido, "Lost.").ToDo("Look.").NotRetryable().Because(problem.ResultadoDesconocido),
			obj("error", true, "code", "estado_invalido", "que_paso", "Lost.", "que_hacer", "Look.", "reintentable", false,
				"detalle", obj("motivo", "resultado_desconocido")),
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, answer.Problem(c.problem, "01CALL", nil)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEveryCodeSaysWhatToDo(t *testing.T) {
	for _, code := range []problem.Code{problem.NoEncontrado, problem.SinPermiso, problem.ParametroInvalido, problem.Conflicto,
		problem.EstadoInvalido, problem.LimiteExcedido, problem.Interno} {
		if got := answer.Problem(problem.New(code, "x"), "id", nil); got["que_hacer"] == "" {
			t.Errorf("%s says nothing", code)
		}
	}
}

func TestAHugeProblemIsCut(t *testing.T) {
	fields := map[string]string{}
	for _, r := range strings.Repeat("abcdefghij", 9) {
		fields[strings.Repeat(string(r), 3000)+string(rune(len(fields)))] = strings.Repeat("x", 3000)
	}
	got := answer.Problem(problem.New(problem.ParametroInvalido, "%s", strings.Repeat("é", 100_000)).With("fields", fields).With("more", items(9000, thing)), "id", nil)
	if n := utf8.RuneCountInString(mustText(t, got)); n > answer.MaxChars {
		t.Errorf("%d characters", n)
	}
	if got["code"] != "parametro_invalido" || got["error"] != true {
		t.Errorf("the code was lost: %v", got["code"])
	}
}

type shouting struct{}

func (shouting) Say(s problem.Sentence) string { return strings.ToUpper(s.String()) }

func TestSentencesAreSaidInTheCallersLanguage(t *testing.T) {
	got := answer.Problem(problem.New(problem.NoEncontrado, "gone"), "id", shouting{})
	if got["que_paso"] != "GONE" || got["que_hacer"] != strings.ToUpper(got["que_hacer"].(string)) {
		t.Error(got)
	}
}
