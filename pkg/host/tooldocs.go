package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// toolGroup is the tools of one profile on the page of all tools.
type toolGroup struct {
	Title, Summary sentence
	Tools          []toolDoc
}

type toolDoc struct {
	Name, Title, Description, Example string

	Chips     []chip
	Arguments []argument
}

type chip struct {
	Class string
	Text  sentence
}

type argument struct {
	Name, Type, Meaning string
	Required            bool
}

// toolGroups puts each tool under the first profile that has it.
func (g *Gate) toolGroups() []toolGroup {
	var groups []toolGroup
	byProfile := map[string]int{}
	for _, p := range g.named() {
		byProfile[p.Name] = len(groups)
		groups = append(groups, toolGroup{Title: catalogText(p.Title), Summary: catalogText(p.Summary)})
	}
	groups = append(groups, toolGroup{Title: pageText("Only at %s", mcpPath)},
		toolGroup{Title: pageText("In every profile"), Summary: pageText("Who you act for, and what became of long work.")})
	for _, t := range g.tools {
		at := len(groups) - 2
		if isCommon(t.Tool) {
			at = len(groups) - 1
		} else if len(t.Profiles) > 0 {
			at = byProfile[t.Profiles[0]]
		}
		groups[at].Tools = append(groups[at].Tools, docOf(t.Tool))
	}
	return slices.DeleteFunc(groups, func(g toolGroup) bool { return len(g.Tools) == 0 })
}

func docOf(t *catalog.Tool) toolDoc {
	d := toolDoc{Name: t.Name, Title: t.Title, Description: t.Description, Chips: chipsOf(t)}
	if d.Title == "" {
		d.Title = t.Name
	}
	d.Arguments = argumentsOf(t)
	d.Example = exampleOf(t, d.Arguments)
	return d
}

func chipsOf(t *catalog.Tool) []chip {
	chips := []chip{{"", pageText("reads")}}
	switch shownEffect(t) {
	case catalog.Read:
	case catalog.Write:
		chips[0] = chip{"", pageText("writes")}
	default:
		chips[0] = chip{"destroys", pageText("destroys")}
	}
	if t.Operation != nil {
		chips = append(chips, chip{"waits", pageText("takes long")})
	}
	if t.Approval == catalog.HumanApproval {
		chips = append(chips, chip{"waits", pageText("asks a person")})
	}
	if t.Confirm != catalog.NoConfirm {
		chips = append(chips, chip{"", pageText("must be confirmed")})
	}
	if t.Admin {
		chips = append(chips, chip{"", pageText("for administrators")})
	}
	for _, limit := range t.Limits {
		chips = append(chips, chip{"", pageText("limit: %s", limit)})
	}
	return chips
}

// argumentsOf reads the complete schema, since the page is for people: it says of
// every argument what a list leaves out. What is deep is told in the list's line.
func argumentsOf(t *catalog.Tool) []argument {
	var short property
	if json.Unmarshal(t.Input.Listed, &short) != nil {
		return nil
	}
	lines := map[string]string{}
	_ = short.each(func(name string, p property) { lines[name] = p.Description }) // no lines: the meanings stand alone
	var arguments []argument
	if appendArguments(&arguments, "", t.Input.Full, lines) != nil {
		return nil
	}
	return arguments
}

// appendArguments puts the members of a flat object, such as filter, after it.
func appendArguments(out *[]argument, prefix string, schema json.RawMessage, lines map[string]string) error {
	var whole property
	if err := json.Unmarshal(schema, &whole); err != nil {
		return fmt.Errorf("read a schema: %w", err)
	}
	return whole.each(func(name string, p property) {
		a := argument{Name: prefix + name, Type: p.kind(), Meaning: p.meaning(), Required: slices.Contains(whole.Required, name)}
		if prefix == "" && p.deep() && lines[name] != "" {
			a.Meaning = lines[name]
		}
		flat := prefix == "" && p.flat()
		if flat {
			a.Meaning = ""
		}
		*out = append(*out, a)
		if flat {
			_ = appendArguments(out, a.Name+".", p.whole, nil) // it was read once already
		}
	})
}

// exampleOf is a tools/call with every required argument, confirmed where it must be.
func exampleOf(t *catalog.Tool, arguments []argument) string {
	sample := map[string]any{}
	for _, a := range arguments {
		if a.Required && !strings.Contains(a.Name, ".") {
			sample[a.Name] = sampleOf(a)
		}
	}
	switch t.Confirm {
	case catalog.ConfirmTrue:
		sample[catalog.ArgConfirmed] = true
	case catalog.ConfirmName:
		sample[catalog.ArgConfirmation] = "its exact name"
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(struct {
		Method string `json:"method"`
		Params any    `json:"params"`
	}{methodCall, struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	}{t.Name, sample}})
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

func sampleOf(a argument) any {
	switch {
	case a.Type == "integer", a.Type == "number":
		return 1234
	case a.Type == "boolean":
		return true
	case a.Type == "object":
		return map[string]any{}
	case strings.HasPrefix(a.Type, "list of "):
		return []any{}
	default:
		return "…"
	}
}
