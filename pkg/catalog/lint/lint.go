// Package lint owns what clients and model providers refuse in a list of tools,
// as rules: one row each, with the client it comes from and why. It reads what
// tools/list serves and knows neither documents nor hosts. How a tool comes about
// is package catalog's.
package lint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Tool is one tool as tools/list serves it.
type Tool struct {
	Name         string                     `json:"name"`
	Title        string                     `json:"title"`
	Description  string                     `json:"description"`
	InputSchema  json.RawMessage            `json:"inputSchema"`
	OutputSchema json.RawMessage            `json:"outputSchema"`
	Annotations  map[string]json.RawMessage `json:"annotations"`
}

// List is the tools that one connection shows.
type List struct {
	// Server is the name that people give the connection, such as "build-mcp":
	// clients put it before every tool's name. "" leaves those rules out.
	Server string `json:"-"`
	Tools  []Tool `json:"tools"`
}

// Finding is one thing that a client would not take.
type Finding struct {
	Rule    string
	Client  string // who does not take it
	Tool    string // "" where it concerns the list
	Where   string // "inputSchema.order[]"; "" where it concerns the tool
	Message string
	Why     string
	Warning bool // the client still works, though not as well
}

func (f Finding) Error() string {
	var out strings.Builder
	if f.Tool != "" {
		fmt.Fprintf(&out, "tool %s: ", f.Tool)
	}
	if f.Where != "" {
		fmt.Fprintf(&out, "%s: ", f.Where)
	}
	fmt.Fprintf(&out, "%s (%s; %s: %s)", f.Message, f.Rule, f.Client, f.Why)
	return out.String()
}

// Check applies every rule. Findings come in the order of the tools, and for one
// tool in that of the rules.
func Check(list List) []Finding {
	var found []Finding
	for _, rule := range Rules {
		if rule.list == nil {
			continue
		}
		rule.list(list, func(format string, args ...any) {
			found = append(found, rule.finding("", "", format, args...))
		})
	}
	for _, t := range list.Tools {
		found = append(found, checkTool(list.Server, t)...)
	}
	return found
}

// Errors are the findings that are no mere warnings.
func Errors(found []Finding) []error {
	var errs []error
	for _, f := range found {
		if !f.Warning {
			errs = append(errs, f)
		}
	}
	return errs
}

func checkTool(server string, t Tool) []Finding {
	var found []Finding
	for _, rule := range Rules {
		if rule.tool != nil {
			rule.tool(server, t, func(format string, args ...any) {
				found = append(found, rule.finding(t.Name, "", format, args...))
			})
		}
	}
	for _, s := range []struct {
		where  string
		schema json.RawMessage
	}{{"inputSchema", t.InputSchema}, {"outputSchema", t.OutputSchema}} {
		if s.schema == nil {
			continue
		}
		root, err := decode(s.schema)
		if err != nil {
			found = append(found, Finding{Rule: "json", Client: "all", Tool: t.Name, Where: s.where, Message: "is no JSON", Why: err.Error()})
			continue
		}
		walk(root, place{path: s.where, input: s.where == "inputSchema"}, func(p place, node any) {
			found = append(found, checkNode(t.Name, p, node)...)
		})
	}
	return found
}

func checkNode(tool string, p place, node any) []Finding {
	var found []Finding
	schema, isObject := node.(map[string]any)
	for _, rule := range Rules {
		say := func(format string, args ...any) { found = append(found, rule.finding(tool, p.path, format, args...)) }
		switch {
		case rule.any != nil:
			rule.any(node, say)
		case rule.node == nil, !isObject, rule.inputOnly && !p.input:
		default:
			rule.node(p, schema, say)
		}
	}
	return found
}

func decode(schema json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(schema))
	dec.UseNumber()
	var root any
	err := dec.Decode(&root)
	return root, err
}

// place is where a schema stands.
type place struct {
	path  string
	depth int  // objects and arrays around it
	input bool // it is an argument's, not an answer's
}

func (p place) below(step string) place {
	return place{path: p.path + step, depth: p.depth + 1, input: p.input}
}

// walk visits every schema of a schema, itself first, in a fixed order.
func walk(node any, p place, visit func(place, any)) {
	visit(p, node)
	schema, ok := node.(map[string]any)
	if !ok {
		return
	}
	props, _ := schema["properties"].(map[string]any)
	for _, name := range sorted(props) {
		walk(props[name], p.below("."+name), visit)
	}
	if items, has := schema["items"]; has {
		walk(items, p.below("[]"), visit)
	}
	if extra, ok := schema["additionalProperties"].(map[string]any); ok {
		walk(extra, p.below(".*"), visit)
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		branches, _ := schema[word].([]any)
		for i, branch := range branches {
			at := p.below(fmt.Sprintf(".%s[%d]", word, i))
			at.depth = p.depth
			walk(branch, at, visit)
		}
	}
}

func sorted(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
