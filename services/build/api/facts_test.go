package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The facts of an operation are what a program depends on: parameters, types,
// limits, answers. Prose and names of components are none, and neither is the
// way a schema is taken apart by references.

func operationFacts(op operation) object {
	params := object{}
	for _, raw := range list(op.spec["parameters"]) {
		p := op.doc.resolve(raw)
		params[fmt.Sprint(p["in"], " ", p["name"])] = object{
			"required": p["required"] == true,
			"schema":   op.doc.schemaFacts(p["schema"], sent),
			"style":    p["style"],
			"explode":  p["explode"],
		}
	}
	answers := object{}
	for code, raw := range op.spec["responses"].(object) {
		answers[code] = op.doc.contentFacts(op.doc.resolve(raw), answered)
	}
	facts := object{"operationId": op.name(), "parameters": params, "answers": answers}
	if body := op.doc.resolve(op.spec["requestBody"]); body != nil {
		facts["body"] = object{"required": body["required"] == true, "content": op.doc.contentFacts(body, sent)}
	}
	return facts
}

// direction is which way a schema's values travel.
type direction bool

const (
	sent     direction = false
	answered direction = true
)

func (d *document) contentFacts(holder object, way direction) object {
	facts := object{}
	content, _ := holder["content"].(object)
	for media, spec := range content {
		facts[media] = d.schemaFacts(spec.(object)["schema"], way)
	}
	return facts
}

// schemaFacts inlines references and leaves out what says nothing.
func (d *document) schemaFacts(raw any, way direction) object {
	schema := d.resolve(raw)
	facts := object{}
	// allOf with one element is how a keyword gets beside a reference. The type that the public
	// document writes there is "object" even for text and numbers; that of the reference holds.
	if parts := list(schema["allOf"]); len(parts) == 1 {
		facts = d.schemaFacts(parts[0], way)
	}
	for key, value := range schema {
		switch key {
		case "description", "title", "summary", "example", "examples", "x-mcp", "x-enum-varnames", "allOf":
		case "type":
			if schema["allOf"] == nil {
				facts[key] = value
			}
		case "properties":
			facts[key] = d.each(value.(object), way)
		case "items":
			facts[key] = d.schemaFacts(value, way)
		case "oneOf", "anyOf":
			facts[key] = d.alternatives(list(value), way)
		case "discriminator":
			facts[key] = d.discriminatorFacts(value.(object), way)
		case "required", "enum":
			facts[key] = sortedByText(list(value))
		case "x-extensible-enum":
			if schema["enum"] == nil {
				facts[key] = sortedByText(list(value))
			}
		case "pattern":
			if value != ".*" { // fits everything
				facts[key] = value
			}
		case "additionalProperties":
			// Answers stay open: a field that the platform adds must not break a client. Beside
			// alternatives it would refuse all of them.
			if way == sent && schema["oneOf"] == nil && schema["anyOf"] == nil {
				facts[key] = value
			}
		default:
			facts[key] = value
		}
	}
	return facts
}

func (d *document) each(properties object, way direction) object {
	facts := object{}
	for name, schema := range properties {
		facts[name] = d.schemaFacts(schema, way)
	}
	return facts
}

func (d *document) alternatives(schemas []any, way direction) []any {
	var facts []any
	for _, schema := range schemas {
		facts = append(facts, d.schemaFacts(schema, way))
	}
	return sortedByText(facts)
}

func (d *document) discriminatorFacts(spec object, way direction) object {
	mapping := object{}
	targets, _ := spec["mapping"].(object)
	for value, ref := range targets {
		mapping[value] = d.schemaFacts(object{"$ref": ref}, way)
	}
	return object{"propertyName": spec["propertyName"], "mapping": mapping}
}

// resolve follows a local reference to what it names.
func (d *document) resolve(raw any) object {
	value, _ := raw.(object)
	ref, ok := value["$ref"].(string)
	if !ok {
		return value
	}
	var target any = d.root
	for key := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		target = target.(object)[key]
	}
	return d.resolve(target)
}

func list(value any) []any {
	all, _ := value.([]any)
	return all
}

func sortedByText(values []any) []any {
	return slices.SortedFunc(slices.Values(values), func(a, b any) int { return cmp.Compare(text(a), text(b)) })
}

// text is a value as JSON, whose object keys are in order.
func text(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(encoded)
}

// differences names every place where want and got part, as "path: want …, got …".
func differences(path string, want, got any) []string {
	w, wantsObject := want.(object)
	g, gotObject := got.(object)
	if !wantsObject || !gotObject {
		if text(want) == text(got) {
			return nil
		}
		return []string{fmt.Sprintf("%s: the public document says %.200s, ours %.200s", path, text(want), text(got))}
	}
	keys := maps.Clone(w)
	maps.Copy(keys, g)
	var all []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		all = append(all, differences(path+"."+key, w[key], g[key])...)
	}
	return all
}
