package host

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// runInput names a tool of the area and what to call it with.
type runInput struct {
	Tool      string         `json:"herramienta" jsonschema:"name of the tool"`
	Arguments map[string]any `json:"argumentos,omitempty" jsonschema:"its arguments, dry_run, idempotency_key and confirmations among them"`
}

// runTool is a name and a schema: its calls become calls of the tool that they
// name before the first stage sees them (see innerCall), so that every stage, the
// audit included, knows only that one. It counts as reading, since alone it does
// nothing; what clients are told of its effect is runAnnotations'.
func (g *Gate) runTool() (Tool, error) {
	return g.handTool(catalog.Tool{
		Name:        toolRun,
		Title:       "Run a tool",
		Description: "Calls any tool of this host that " + toolSearch + " found, just as if it were listed here.",
		Profiles:    []string{liteName},
		Effect:      catalog.Read,
	}, runInput{}, nil, func(context.Context, *call.Call) (*call.Answer, error) {
		return nil, errors.New(toolRun + " was run itself, instead of the tool that it names")
	})
}

// runAnnotations tell the worst that the tool can do for a caller.
func runAnnotations(readOnly bool) catalog.Hints {
	return catalog.Hints{ReadOnly: readOnly, Destructive: !readOnly, Idempotent: readOnly, OpenWorld: true}
}

// shownEffect is what people are told that a tool does.
func shownEffect(t *catalog.Tool) catalog.Effect {
	if t.Name == toolRun {
		return catalog.Destructive
	}
	return t.Effect
}

// innerCall turns a call of ejecutar_herramienta into one of the tool that it
// names. One that names none stays what it is, with what is wrong in asked.
func (g *Gate) innerCall(rq *request, run Tool, given json.RawMessage) (*call.Call, *asked) {
	outer, a := g.newCall(rq, run, unquoted(given))
	if a.fault != nil {
		a.fault.ToDo("Send herramienta and argumentos only: what the tool itself takes, dry_run and the like included, stands inside argumentos.")
		return outer, a
	}
	name, _ := outer.Args["herramienta"].(string)
	tool, ok := g.find(g.profiles[""], name)
	if !ok {
		a.fault = g.noSuchTool(rq, name)
		return outer, a
	}
	raw, err := json.Marshal(outer.Args["argumentos"])
	if err != nil {
		a.fault = problem.As(err)
		return outer, a
	}
	return g.newCall(rq, tool, raw)
}

// unquoted takes argumentos out of a text, since models write an object inside an
// object so quite often. What is no such text stays as it is.
func unquoted(raw json.RawMessage) json.RawMessage {
	var given map[string]json.RawMessage
	var text string
	if json.Unmarshal(raw, &given) != nil || json.Unmarshal(given["argumentos"], &text) != nil || !isObject(json.RawMessage(text)) {
		return raw
	}
	given["argumentos"] = json.RawMessage(text)
	if whole, err := json.Marshal(given); err == nil {
		return whole
	}
	return raw
}

// noSuchTool names what may have been meant, of what the caller may use.
func (g *Gate) noSuchTool(rq *request, name string) *problem.Problem {
	p := problem.New(problem.ParametroInvalido, "There is no tool %s on this host.", short(name))
	if name == toolRun || name == toolSearch {
		p = problem.New(problem.ParametroInvalido, "%s cannot be run by %s.", name, toolRun)
	}
	var near []any
	for _, t := range g.words.Find(short(name), useful(rq.caller.principal)) {
		near = append(near, map[string]any{"id": t.Name, "name": t.Title})
		if len(near) == maxNear {
			break
		}
	}
	p.Field("herramienta", problem.Sentence{Format: "must be the name of a tool"})
	if len(near) == 0 {
		return p.ToDo("Find the tool with buscar_herramientas.")
	}
	return p.With("candidatos", near).
		ToDo("Call again with herramienta set to the id of one of detalle.candidatos, or find the tool with buscar_herramientas.")
}

// maxNear bounds how many tools are named in place of one that does not exist.
const maxNear = 3
