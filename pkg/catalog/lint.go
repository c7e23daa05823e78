package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Lint checks tools against what common clients and model providers accept
// (contract §5), and against each other. Every fault is one error.
func Lint(tools []*Tool) []error {
	var errs []error
	seen := map[string]bool{}
	for _, t := range tools {
		say := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("tool %s: %s", t.Name, fmt.Sprintf(format, args...)))
		}
		if !toolName.MatchString(t.Name) {
			say("the name must match %s", NamePattern)
		}
		if seen[t.Name] {
			say("there are two tools of this name")
		}
		seen[t.Name] = true
		lintWords(t, say)
		lintSchema(t.Input, "input", say)
		if t.Output != nil {
			lintSchema(t.Output, "output", say)
		}
		lintArguments(t, say)
	}
	for _, t := range tools {
		for role, name := range references(t) {
			if name != "" && !seen[name] {
				errs = append(errs, fmt.Errorf("tool %s: %s names the tool %s, which is not there", t.Name, role, name))
			}
		}
	}
	slices.SortStableFunc(errs, func(a, b error) int { return compareText(a.Error(), b.Error()) })
	return errs
}

type sayer func(format string, args ...any)

func lintWords(t *Tool, say sayer) {
	if t.Description == "" {
		say("it has no description, which is what an agent chooses by")
	}
	if t.Title == "" {
		say("it has no title")
	}
	if !slices.Contains([]Effect{Read, Write, Destructive}, t.Effect) {
		say("its effect %q is none of read, write, destructive", t.Effect)
	}
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
func lintArguments(t *Tool, say sayer) {
	if t.Input == nil {
		return
	}
	var listed struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(t.Input.Listed, &listed) != nil {
		return // lintSchema says so
	}
	for _, name := range commonNames(t) {
		if _, ok := listed.Properties[name]; !ok {
			say("its input schema does not list %s", name)
		}
	}
	if _, ok := listed.Properties[t.RootArg]; t.RootArg != "" && !ok {
		say("its root argument %s is not listed", t.RootArg)
	}
}

func lintSchema(s *Schema, which string, say sayer) {
	if s == nil {
		say("it has no %s schema", which)
		return
	}
	var root any
	dec := json.NewDecoder(bytes.NewReader(s.Listed))
	dec.UseNumber()
	if err := dec.Decode(&root); err != nil {
		say("its %s schema is no JSON: %v", which, err)
		return
	}
	top, _ := root.(map[string]any)
	if top["type"] != "object" {
		say("its %s schema is no object", which)
	}
	for _, word := range []string{"oneOf", "anyOf", "allOf", "not", "if", "enum", "const"} {
		if _, has := top[word]; has {
			say("its %s schema has %s at the root", which, word)
		}
	}
	lintNode(top, which, say)
}

// lintNode checks one schema and those in it.
func lintNode(n map[string]any, at string, say sayer) {
	for _, word := range []string{"$ref", "$defs", "$id", "$schema", "definitions", "components", "nullable", "discriminator"} {
		if _, has := n[word]; has {
			say("%s: %s is not understood by clients", at, word)
		}
	}
	kind, isText := n["type"].(string)
	if _, has := n["type"]; has && !isText {
		say("%s: type must be one word", at)
	}
	if items, ok := n["items"].(map[string]any); kind == "array" && (!ok || len(items) == 0) {
		say("%s: an array must say what its items are", at)
	}
	props, hasProps := n["properties"].(map[string]any)
	if kind == "object" && !hasProps {
		say("%s: an object must have properties, if only {}", at)
	}
	if required, has := n["required"]; has {
		list, ok := required.([]any)
		if !ok {
			say("%s: required must be a list", at)
		}
		for _, name := range list {
			if _, known := props[fmt.Sprint(name)]; !known {
				say("%s: requires %v, which is not among its properties", at, name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if !argName.MatchString(name) {
			say("%s: the property name %q must match %s", at, name, argName)
		}
		if child, ok := props[name].(map[string]any); ok {
			lintNode(child, at+"."+name, say)
		} else {
			say("%s.%s: must be a schema", at, name)
		}
	}
	for _, word := range []string{"items", "additionalProperties"} {
		if child, ok := n[word].(map[string]any); ok {
			lintNode(child, at+"."+word, say)
		}
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		options, _ := n[word].([]any)
		for i, option := range options {
			if child, ok := option.(map[string]any); ok {
				lintNode(child, fmt.Sprintf("%s.%s[%d]", at, word, i), say)
			}
		}
	}
}
