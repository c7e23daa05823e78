package answer

import (
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// rest tells how to get what was cut: the very arguments for a list, a word of
// advice for anything else.
func rest(whole, cut map[string]any, t *catalog.Tool, page Page) map[string]any {
	if t.List != nil {
		all, _ := listOf(whole[t.List.Key])
		shown, ok := listOf(cut[t.List.Key])
		switch {
		case !ok || len(shown) == 0 || len(shown) >= len(all):
		case t.List.PageArg == "" && t.List.SizeArg != "":
			return map[string]any{
				"mensaje":    problem.Sentence{Format: "The answer was too long and was cut between elements. Call again with these arguments, then go on with the token of that answer: the one in this answer leaves out what was cut."}.String(),
				"argumentos": map[string]any{catalog.ArgLimit: len(shown)},
			}
		default:
			limit, number := nextPage(page, len(shown))
			message := problem.Sentence{Format: "The answer was too long and was cut between elements. Call again with these arguments for what comes next."}
			if size(shown[0]) < size(all[0]) {
				message = problem.Sentence{Format: "The answer was too long and was cut inside its only element. Read that one alone, with the tool for a single one, or call again with these arguments for what comes next."}
			}
			return map[string]any{"mensaje": message.String(), "argumentos": map[string]any{catalog.ArgLimit: limit, catalog.ArgPage: number}}
		}
	}
	if t.Retrieve != "" && t.Retrieve != t.Name {
		return map[string]any{
			"mensaje":     problem.Sentence{Format: "The answer was too long and was cut. Each <key>_recortado is the true total. The tool that is named here reads all of it, a part at a time."}.String(),
			"herramienta": t.Retrieve,
		}
	}
	return map[string]any{
		"mensaje": problem.Sentence{Format: "The answer was too long and was cut. Each <key>_recortado is the true total. Ask for less at a time: a smaller limit, a filter, a single resource, or fewer fields."}.String(),
	}
}

// listOf finds the list in a value, also in one that was wrapped as untrusted.
func listOf(v any) ([]any, bool) {
	if content, ok := contentOf(v); ok {
		v = content
	}
	list, ok := v.([]any)
	return list, ok
}

// nextPage finds the page that begins where the shown elements end, or shortly
// before, so that no element is missed. Pages are counted in whole limits, so
// the new limit must divide what came before this page.
func nextPage(page Page, shown int) (limit, number int) {
	before := max(page.Number-1, 0) * page.Limit
	limit = shown
	for before%limit != 0 {
		limit--
	}
	return limit, (before+shown)/limit + 1
}
