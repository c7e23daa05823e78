package answer

import "strings"

// A path names values inside an answer: "data.name", "results[].code", "data.*",
// "rows[][]". "[]" is every element of a list, "*" every value of an object or a list.
type path []string

const (
	everyElement = "[]"
	everyValue   = "*"
)

func parsePath(text string) path {
	var steps path
	for part := range strings.SplitSeq(text, ".") {
		name, lists := part, 0
		for strings.HasSuffix(name, everyElement) {
			name = strings.TrimSuffix(name, everyElement)
			lists++
		}
		if name != "" {
			steps = append(steps, name)
		}
		for range lists {
			steps = append(steps, everyElement)
		}
	}
	return steps
}

// edit gives a copy of v in which change was applied to what p names. A name
// that meets a list goes into its elements, so that "data.name" also finds the
// names of a list "data"; what is absent stays absent.
func edit(v any, p path, change func(any) any) any {
	if len(p) == 0 {
		return change(v)
	}
	switch v := v.(type) {
	case map[string]any:
		return editObject(v, p, change)
	case []any:
		rest := p
		if p[0] == everyElement || p[0] == everyValue {
			rest = p[1:]
		}
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = edit(element, rest, change)
		}
		return out
	default:
		return v
	}
}

func editObject(v map[string]any, p path, change func(any) any) map[string]any {
	out := make(map[string]any, len(v))
	for key, value := range v {
		if p[0] == everyValue || p[0] == key {
			value = edit(value, p[1:], change)
		}
		out[key] = value
	}
	return out
}
