package publicapi

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

func operationFacts(op Operation) Object {
	params := Object{}
	for _, raw := range list(op.Spec["parameters"]) {
		p := op.Doc.resolve(raw)
		params[fmt.Sprint(p["in"], " ", p["name"])] = Object{
			"required": p["required"] == true,
			"schema":   op.Doc.schemaFacts(p["schema"], sent),
			"style":    p["style"],
			"explode":  p["explode"],
		}
	}
	answers := Object{}
	for code, raw := range op.Spec["responses"].(Object) {
		answers[code] = op.Doc.contentFacts(op.Doc.resolve(raw), answered)
	}
	facts := Object{"operationId": op.Name(), "parameters": params, "answers": answers}
	if body := op.Doc.resolve(op.Spec["requestBody"]); body != nil {
		facts["body"] = Object{"required": body["required"] == true, "content": op.Doc.contentFacts(body, sent)}
	}
	return facts
}

// direction is which way a schema's values travel.
type direction bool

const (
	sent     direction = false
	answered direction = true
)

func (d *Document) contentFacts(holder Object, way direction) Object {
	facts := Object{}
	content, _ := holder["content"].(Object)
	for media, spec := range content {
		facts[media] = d.schemaFacts(spec.(Object)["schema"], way)
	}
	return facts
}

// schemaFacts inlines references and leaves out what says nothing.
func (d *Document) schemaFacts(raw any, way direction) Object {
	schema := d.resolve(raw)
	facts := Object{}
	// allOf with one element is how a keyword gets beside a reference. The type that the public
	// document writes there is "object" even for text and numbers; that of the reference holds.
	if parts := list(schema["allOf"]); len(parts) == 1 {
		facts = d.schemaFacts(parts[0], way)
	}
	for key, value := range schema {
		switch key {
		case "description", "title", "summary", "example", "examples", "x-mcp", "x-enum-varnames", "allOf",
			"readOnly", "writeOnly": // whether the field is there at all in this direction is the fact
		case "type":
			if schema["allOf"] == nil {
				facts[key] = value
			}
		case "properties":
			facts[key] = d.each(value.(Object), way)
		case "items":
			facts[key] = d.schemaFacts(value, way)
		case "oneOf", "anyOf":
			facts[key] = d.alternatives(list(value), way)
		case "discriminator":
			facts[key] = d.discriminatorFacts(value.(Object), way)
		case "enum":
			facts[key] = sortedByText(list(value))
		case "required":
			if names := d.requiredNames(schema, way); len(names) > 0 {
				facts[key] = names
			}
		case "x-extensible-enum":
			if schema["enum"] == nil {
				facts[key] = sortedByText(list(value))
			}
		case "pattern":
			if value != ".*" && value != "^.*$" { // they fit everything
				facts[key] = value
			}
		case "additionalProperties":
			// Answers stay open: a field that the platform adds must not break a client. Beside
			// alternatives it would refuse all of them. True is what silence means.
			if way == sent && value != true && schema["oneOf"] == nil && schema["anyOf"] == nil {
				facts[key] = value
			}
		default:
			facts[key] = value
		}
	}
	return facts
}

func (d *Document) each(properties Object, way direction) Object {
	facts := Object{}
	for name, schema := range properties {
		if d.travels(schema, way) {
			facts[name] = d.schemaFacts(schema, way)
		}
	}
	return facts
}

// travels is whether a field is part of what goes that way: readOnly fields are
// not sent, writeOnly ones not answered.
func (d *Document) travels(schema any, way direction) bool {
	never := "readOnly"
	if way == answered {
		never = "writeOnly"
	}
	return d.resolve(schema)[never] != true
}

func (d *Document) requiredNames(schema Object, way direction) []any {
	properties, _ := schema["properties"].(Object)
	names := slices.DeleteFunc(slices.Clone(list(schema["required"])), func(name any) bool {
		return !d.travels(properties[fmt.Sprint(name)], way)
	})
	return sortedByText(names)
}

func (d *Document) alternatives(schemas []any, way direction) []any {
	var facts []any
	for _, schema := range schemas {
		facts = append(facts, d.schemaFacts(schema, way))
	}
	return sortedByText(facts)
}

func (d *Document) discriminatorFacts(spec Object, way direction) Object {
	mapping := Object{}
	targets, _ := spec["mapping"].(Object)
	for value, ref := range targets {
		mapping[value] = d.schemaFacts(Object{"$ref": ref}, way)
	}
	return Object{"propertyName": spec["propertyName"], "mapping": mapping}
}

// resolve follows a reference to what it names.
func (d *Document) resolve(raw any) Object {
	value, _ := raw.(Object)
	ref, ok := value["$ref"].(string)
	if !ok {
		return value
	}
	file, place, _ := strings.Cut(ref, "#/")
	var target any = d.files[file]
	for key := range strings.SplitSeq(place, "/") {
		target = target.(Object)[key]
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

// text is a value as JSON, whose Object keys are in order.
func text(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(encoded)
}

// differences names every place where want and got part, as "path: want …, got …".
func differences(path string, want, got any) []string {
	w, wantsObject := want.(Object)
	g, gotObject := got.(Object)
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

// Differences names every fact in which ours parts from the public operation,
// as "name.place: the public document says …, ours …".
func Differences(public, ours Operation) []string {
	return differences(public.Name(), operationFacts(public), operationFacts(ours))
}
