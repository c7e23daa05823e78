package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// inlined puts what a complete schema shares in $defs in place of each reference,
// as converters do for clients that do not follow references. Recursion ends in
// an object of anything.
func inlined(schema json.RawMessage) (any, error) {
	var root map[string]any
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, fmt.Errorf("decode a complete schema: %w", err)
	}
	defs, _ := root["$defs"].(map[string]any)
	delete(root, "$defs")
	in := inliner{defs: defs, open: map[string]bool{}}
	return in.value(root), nil
}

type inliner struct {
	defs map[string]any
	open map[string]bool
}

func (in *inliner) value(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			return in.follow(strings.TrimPrefix(ref, "#/$defs/"))
		}
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[name] = in.value(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = in.value(value)
		}
		return out
	}
	return v
}

func (in *inliner) follow(name string) any {
	if in.open[name] {
		return map[string]any{"type": "object"}
	}
	in.open[name] = true
	defer delete(in.open, name)
	return in.value(in.defs[name])
}
