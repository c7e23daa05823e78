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
	Title, Summary string
	Tools          []toolDoc
}

type toolDoc struct {
	Name, Title, Description, Example string

	Chips     []chip
	Arguments []argument
}

type chip struct{ Class, Text string }

type argument struct {
	Name, Type, Meaning string
	Required            bool
}

// toolGroups puts each tool under the first profile that has it.
func (g *Gate) toolGroups() []toolGroup {
	groups := []toolGroup{{Title: "In every profile", Summary: "Who you act for, and what became of long work."}}
	byProfile := map[string]int{}
	for _, p := range g.named() {
		byProfile[p.Name] = len(groups)
		groups = append(groups, toolGroup{Title: p.Title, Summary: p.Summary})
	}
	groups = append(groups, toolGroup{Title: "Only at " + mcpPath})
	for _, t := range g.tools {
		at := len(groups) - 1
		if isCommon(t.Tool) {
			at = 0
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
	chips := []chip{{"", "reads"}}
	switch shownEffect(t) {
	case catalog.Read:
	case catalog.Write:
		chips[0] = chip{"", "writes"}
	default:
		chips[0] = chip{"destroys", "destroys"}
	}
	if t.Operation != nil {
		chips = append(chips, chip{"waits", "takes long"})
	}
	if t.Approval == catalog.HumanApproval {
		chips = append(chips, chip{"waits", "asks a person"})
	}
	if t.Confirm != catalog.NoConfirm {
		chips = append(chips, chip{"", "must be confirmed"})
	}
	if t.Admin {
		chips = append(chips, chip{"", "for administrators"})
	}
	for _, limit := range t.Limits {
		chips = append(chips, chip{"", "limit: " + limit})
	}
	return chips
}

// property is what the page shows of an argument's schema.
type property struct {
	Type        string `json:"type"`
	Description string `json:"description"`
	Enum        []any  `json:"enum"`
	Items       *struct {
		Type string `json:"type"`
	} `json:"items"`
}

func argumentsOf(t *catalog.Tool) []argument {
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(t.Input.Listed, &schema) != nil {
		return nil
	}
	members, err := membersOf(schema.Properties)
	if err != nil {
		return nil
	}
	var arguments []argument
	for _, m := range members {
		var p property
		if json.Unmarshal(m.value, &p) != nil {
			continue
		}
		a := argument{Name: m.name, Type: p.Type, Meaning: p.Description, Required: slices.Contains(schema.Required, m.name)}
		if p.Items != nil {
			a.Type = "list of " + p.Items.Type
		}
		if len(p.Enum) > 0 {
			a.Meaning = strings.TrimSpace(a.Meaning + " One of: " + joinAny(p.Enum))
		}
		arguments = append(arguments, a)
	}
	return arguments
}

func joinAny(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ", ")
}

// exampleOf is a tools/call with every required argument.
func exampleOf(t *catalog.Tool, arguments []argument) string {
	sample := map[string]any{}
	for _, a := range arguments {
		if a.Required {
			sample[a.Name] = sampleOf(a)
		}
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
