package answer

import (
	"maps"
	"math"
	"time"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

// Language says a problem's sentences to the caller. English is the default.
type Language interface {
	Say(problem.Sentence) string
}

// English says sentences as they are written in the code.
type English struct{}

// Say is the sentence itself.
func (English) Say(s problem.Sentence) string { return s.String() }

// Problem is p as agents see it (contract §5). id is the call's id, which an
// internal problem names as correlacion_id. p's cause never shows.
func Problem(p *problem.Problem, id string, lang Language) map[string]any {
	if lang == nil {
		lang = English{}
	}
	out := map[string]any{
		"error":        true,
		"code":         string(p.Code),
		"que_paso":     lang.Say(p.What),
		"que_hacer":    lang.Say(whatToDo(p)),
		"reintentable": p.Retryable,
		"detalle":      detail(p, lang),
	}
	if wait := waitSeconds(p); wait > 0 {
		out["reintentar_en_segundos"] = wait
	}
	if p.Code == problem.Interno {
		out["correlacion_id"] = id
	}
	if size(out) > MaxChars {
		return fitObject(out, MaxChars, nil)
	}
	return out
}

func detail(p *problem.Problem, lang Language) map[string]any {
	out := make(map[string]any, len(p.Detail)+1)
	for key, value := range p.Detail {
		out[key] = value
	}
	if fields, ok := out["fields"].(map[string]string); ok && len(p.Fields) > 0 {
		said := maps.Clone(fields)
		for path, what := range p.Fields {
			said[path] = lang.Say(what)
		}
		out["fields"] = said
	}
	if _, named := out["status"]; p.Code == problem.LimiteExcedido && !named {
		out["status"] = 429
	}
	return out
}

// waitSeconds is whole seconds, at least 1 where waiting helps at all.
func waitSeconds(p *problem.Problem) int64 {
	wait := p.RetryAfter
	if wait <= 0 {
		if p.Code != problem.LimiteExcedido {
			return 0
		}
		wait = time.Second
	}
	return int64(math.Ceil(wait.Seconds()))
}

// whatToDo is the problem's own advice, or what its code alone can tell.
func whatToDo(p *problem.Problem) problem.Sentence {
	if p.Do.Format != "" {
		return p.Do
	}
	return problem.Sentence{Format: advice[p.Code]}
}

var advice = map[problem.Code]string{
	problem.NoEncontrado:      "Check the id. A list tool shows what exists.",
	problem.SinPermiso:        "Do not repeat the call. Ask the person whether they want to allow this.",
	problem.ParametroInvalido: "Correct the arguments that detalle.fields names and call again.",
	problem.Conflicto:         "Change the argument that is named and call again.",
	problem.EstadoInvalido:    "Wait a little and repeat the same call.",
	problem.LimiteExcedido:    "Wait reintentar_en_segundos, then repeat the same call.",
	problem.Interno:           "Repeat the call once. If it fails again, report the correlacion_id to the operator.",
}
