package catalog

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/catalog/lint"
)

// Lint checks tools against what clients and model providers accept (package
// lint has the rules), and against each other. Every fault is one error; what a
// client merely dislikes is none.
func Lint(tools []*Tool) []error {
	var errs []error
	list := lint.List{}
	known := map[string]bool{}
	for _, t := range tools {
		known[t.Name] = true
		list.Tools = append(list.Tools, t.listed())
		if t.Area != "" {
			list.Server = t.Area + "-mcp"
		}
	}
	errs = append(errs, lint.Errors(lint.Check(list))...)
	for _, t := range tools {
		say := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("tool %s: %s", t.Name, fmt.Sprintf(format, args...)))
		}
		if !toolName.MatchString(t.Name) {
			say("the name must match %s", NamePattern)
		}
		if !slices.Contains([]Effect{Read, Write, Destructive}, t.Effect) {
			say("its effect %q is none of read, write, destructive", t.Effect)
		}
		lintArguments(t, say)
		for role, name := range references(t) {
			if name != "" && !known[name] {
				say("%s names the tool %s, which is not there", role, name)
			}
		}
	}
	slices.SortStableFunc(errs, func(a, b error) int { return compareText(a.Error(), b.Error()) })
	return errs
}

// listed is the tool as tools/list serves it.
func (t *Tool) listed() lint.Tool {
	out := lint.Tool{Name: t.Name, Title: t.Title, Description: t.Description, Annotations: map[string]json.RawMessage{}}
	if t.Input != nil {
		out.InputSchema = t.Input.Listed
	}
	if t.Output != nil {
		out.OutputSchema = t.Output.Listed
	}
	if hints, err := json.Marshal(t.Hints()); err == nil {
		_ = json.Unmarshal(hints, &out.Annotations) // an object of booleans always reads
	}
	return out
}

// references are the tools that a tool names.
func references(t *Tool) map[string]string {
	out := map[string]string{"retrieve": t.Retrieve}
	if t.Find != nil {
		out["find.list"] = t.Find.List
	}
	if t.Operation != nil {
		out["operation.probe"] = t.Operation.Probe
	}
	return out
}

// lintArguments: the common arguments that the tool's nature asks for are listed.
func lintArguments(t *Tool, say func(format string, args ...any)) {
	if t.Input == nil {
		return
	}
	var listed struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(t.Input.Listed, &listed) != nil {
		return // package lint says so
	}
	for _, common := range commonBriefs(t) {
		if _, ok := listed.Properties[common.Name]; !ok {
			say("its input schema does not list %s", common.Name)
		}
	}
	if _, ok := listed.Properties[t.RootArg]; t.RootArg != "" && !ok {
		say("its root argument %s is not listed", t.RootArg)
	}
}
