package worker

import (
	"fmt"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// stateOf is how far the operation of a tool is, as an answer shows it: by the
// field that the tool declares, else by what the platform says of its own work.
func stateOf(tool *catalog.Tool, answer *platform.Answer) (catalog.State, string) {
	switch until := tool.Operation.Until; {
	case answer.Pending:
		return catalog.Working, ""
	case until != nil:
		return until.Judge(answer.Value)
	}
	return catalog.Done, ""
}

// seen is how far the operation is by the probe's answer. Where the probe is the
// list that shows what was made, it must be in it.
func seen(write platform.Request, probe *catalog.Tool, answer *platform.Answer) (catalog.State, string) {
	find := write.Tool.Find
	if probe.List == nil || find == nil || find.List != probe.Name {
		return stateOf(write.Tool, answer)
	}
	items, _ := answer.Value[probe.List.Key].([]any)
	for _, element := range items {
		if item, ok := element.(map[string]any); ok && isMade(write, find, item) {
			return catalog.Done, ""
		}
	}
	return catalog.Working, ""
}

func isMade(write platform.Request, find *catalog.Find, item map[string]any) bool {
	for _, match := range find.By {
		if fmt.Sprint(item[match.Field]) != fmt.Sprint(write.Args[match.Arg]) {
			return false
		}
	}
	return len(find.By) > 0
}

// shown is the resource in a probe's answer; nil where the probe is a list, which
// shows others as well.
func shown(probe *catalog.Tool, answer *platform.Answer) map[string]any {
	if probe.List != nil {
		return nil
	}
	return answer.Value
}

// notCompleted is the end of what the platform accepted and then could not do.
func notCompleted(tool *catalog.Tool, word string) *problem.Problem {
	p := problem.New(problem.EstadoInvalido, "The platform accepted %s and could not complete it: it ended as %q.", tool.Name, word).
		NotRetryable().Because(problem.Plataforma).With("operacion", tool.Name)
	if probe := tool.Operation.Probe; probe != "" {
		return p.ToDo("Call %s to see why, and mend that before you call the tool again.", probe).With("herramienta", probe)
	}
	return p
}
