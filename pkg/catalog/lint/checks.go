package lint

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"
)

var (
	nameAllowed     = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	nameBegins      = regexp.MustCompile(`^[a-zA-Z_]`)
	propertyAllowed = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
)

func uniqueNames(l List, say say) {
	seen := map[string]bool{}
	for _, t := range l.Tools {
		if seen[t.Name] {
			say("there are two tools called %s", t.Name)
		}
		seen[t.Name] = true
	}
}

func atMost(most int) func(List, say) {
	return func(l List, say say) {
		if n := len(l.Tools); n > most {
			say("%d tools: connect such a client to a profile, or to /mcp/lite, which has 8", n)
		}
	}
}

func nameForm(_ string, t Tool, say say) {
	if !nameAllowed.MatchString(t.Name) {
		say("the name must match %s", nameAllowed)
	}
}

func nameStart(_ string, t Tool, say say) {
	if !nameBegins.MatchString(t.Name) {
		say("the name must match %s", nameBegins)
	}
}

func namePrefixed(server string, t Tool, say say) {
	if n := len("mcp__" + server + "__" + t.Name); server != "" && n > 64 {
		say("its name with the server's prefix has %d characters", n)
	}
}

func nameCombined(server string, t Tool, say say) {
	if n := len(server + ":" + t.Name); server != "" && n >= 60 {
		say("its name with the server's has %d characters", n)
	}
}

func titled(_ string, t Tool, say say) {
	if t.Title == "" {
		say("it has no title")
	}
}

func hinted(_ string, t Tool, say say) {
	for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
		if v := string(t.Annotations[hint]); v != "true" && v != "false" {
			say("it does not say %s", hint)
		}
	}
	if string(t.Annotations["readOnlyHint"]) == "true" && string(t.Annotations["destructiveHint"]) == "true" {
		say("it only reads and destroys at the same time")
	}
}

func described(_ string, t Tool, say say) {
	if t.Description == "" {
		say("it has no description")
	}
	if t.InputSchema == nil {
		say("it has no input schema")
	}
}

func descriptionLength(_ string, t Tool, say say) {
	if n := utf8.RuneCountInString(t.Description); n > 1024 {
		say("its description has %d characters", n)
	}
}

func isSchema(node any, say say) {
	if _, ok := node.(map[string]any); !ok {
		say("must be a schema, not %v", node)
	}
}

func (p place) isRoot() bool { return p.path == "inputSchema" || p.path == "outputSchema" }

func rootObject(p place, schema map[string]any, say say) {
	if p.isRoot() && schema["type"] != "object" {
		say("is no object")
	}
}

func rootPlain(p place, schema map[string]any, say say) {
	if p.isRoot() {
		lacks("oneOf", "anyOf", "allOf", "not", "enum", "const", "if")(p, schema, say)
	}
}

func lacks(words ...string) func(place, map[string]any, say) {
	return func(_ place, schema map[string]any, say say) {
		for _, word := range words {
			if _, has := schema[word]; has {
				say("has %s", word)
			}
		}
	}
}

func oneType(_ place, schema map[string]any, say say) {
	kind, has := schema["type"]
	if !has {
		return
	}
	word, _ := kind.(string)
	if !slices.Contains([]string{"object", "array", "string", "integer", "number", "boolean"}, word) {
		say("has the type %v", kind)
	}
}

func typed(_ place, schema map[string]any, say say) {
	for _, word := range []string{"type", "anyOf", "oneOf", "allOf"} {
		if _, has := schema[word]; has {
			return
		}
	}
	say("has no type")
}

func arrayItems(_ place, schema map[string]any, say say) {
	if items, ok := schema["items"].(map[string]any); schema["type"] == "array" && (!ok || len(items) == 0) {
		say("is an array and does not say of what")
	}
}

func objectProperties(_ place, schema map[string]any, say say) {
	if _, ok := schema["properties"].(map[string]any); schema["type"] == "object" && !ok {
		say("is an object without properties")
	}
}

func propertyNames(_ place, schema map[string]any, say say) {
	props, _ := schema["properties"].(map[string]any)
	for _, name := range sorted(props) {
		if !propertyAllowed.MatchString(name) {
			say("the property name %q must match %s", name, propertyAllowed)
		}
	}
}

func requiredKnown(_ place, schema map[string]any, say say) {
	required, has := schema["required"]
	if !has {
		return
	}
	list, ok := required.([]any)
	if !ok {
		say("required must be a list")
	}
	props, _ := schema["properties"].(map[string]any)
	for _, name := range list {
		if _, known := props[fmt.Sprint(name)]; !known {
			say("requires %v, which is not among its properties", name)
		}
	}
}

func enumFull(_ place, schema map[string]any, say say) {
	enum, has := schema["enum"]
	if !has {
		return
	}
	values, ok := enum.([]any)
	if !ok || len(values) == 0 {
		say("has an enum without values")
	}
	seen := map[string]bool{}
	for _, v := range values {
		text, err := json.Marshal(v)
		if err == nil && seen[string(text)] {
			say("enumerates %s twice", text)
		}
		if v == "" {
			say("enumerates an empty text")
		}
		seen[string(text)] = true
	}
}

func enumText(_ place, schema map[string]any, say say) {
	values, _ := schema["enum"].([]any)
	for _, v := range values {
		if _, ok := v.(string); !ok {
			say("enumerates %v, which is no text", v)
			return
		}
	}
	if len(values) > 0 && schema["type"] != "string" {
		say("enumerates texts and is no string")
	}
}

func knownFormat(_ place, schema map[string]any, say say) {
	format, has := schema["format"].(string)
	if has && schema["type"] == "string" && !slices.Contains([]string{"date-time", "enum"}, format) {
		say("has the format %s", format)
	}
}

func atMostDeep(p place, _ map[string]any, say say) {
	if p.depth == 11 {
		say("is nested deeper than 10 levels")
	}
}

func atMostWide(_ place, schema map[string]any, say say) {
	if props, _ := schema["properties"].(map[string]any); len(props) > 100 {
		say("has %d properties", len(props))
	}
}
