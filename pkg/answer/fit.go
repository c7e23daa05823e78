package answer

import (
	"cmp"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// fit cuts the answer where its text would be too long and says how to get the rest.
func fit(value map[string]any, t *catalog.Tool, page Page) map[string]any {
	budget := MaxChars - reserve
	if t.Command {
		budget = MaxOutput
	}
	if size(value) <= budget {
		return value
	}
	const hint = 600 // room for the notes below
	cut := fitObject(value, budget-hint, t.List)
	if t.Command {
		cut[truncated] = true
	}
	if page.Part == nil {
		cut[recorte] = rest(value, cut, t, page)
	}
	return cut
}

// fitValue gives as much of v as takes at most budget characters; it does not
// change v. The least it gives is two characters, or "null" for a number.
func fitValue(v any, budget int) any {
	if size(v) <= budget {
		return v
	}
	switch v := v.(type) {
	case string:
		return fitText(v, budget)
	case []any:
		return fitList(v, budget)
	case map[string]any:
		if content, ok := contentOf(v); ok {
			return fitWrapped(v, content, budget)
		}
		return fitObject(v, budget, nil)
	default:
		return nil
	}
}

// fitWrapped cuts what a third party wrote and leaves the wrapper whole. The true
// total stands beside the wrapper, as it does beside a value without one.
func fitWrapped(wrapped map[string]any, content any, budget int) any {
	around := size(wrapped) - size(content)
	if budget-around < 4 {
		return fitObject(wrapped, budget, nil)
	}
	out := maps.Clone(wrapped)
	out[wrappedContent] = fitValue(content, budget-around)
	return out
}

// fitText cuts between characters, never inside one.
func fitText(s string, budget int) string {
	used := 2
	for i, r := range s {
		used += runeSize(s[i:], r)
		if used > budget {
			return s[:i]
		}
	}
	return s
}

// fitList keeps whole elements from the front. Only where not even the first
// one fits is that one itself cut.
func fitList(list []any, budget int) []any {
	used := 2
	for i, element := range list {
		n := size(element) + 1
		if used+n > budget {
			if i == 0 && budget-used > 4 {
				return []any{fitValue(element, budget-used)}
			}
			return list[:i:i]
		}
		used += n
	}
	return list
}

// fitObject shares the budget between the fields: small ones stay whole, the
// large ones share what is left, and each cut one has its true total beside it.
// layout is how the whole answer is a list; nil inside of it.
func fitObject(object map[string]any, budget int, layout *catalog.List) map[string]any {
	fields := measure(object)
	slices.SortFunc(fields, func(a, b field) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.key, b.key))
	})
	out := maps.Clone(object)
	left := budget - 2
	for i, f := range fields {
		share := left / (len(fields) - i)
		if f.size <= share {
			left -= f.size
			continue
		}
		left -= f.cut(object, out, share, layout)
	}
	return out
}

// field is one field of an object and the characters it takes with its key.
type field struct {
	key  string
	size int
}

func measure(object map[string]any) []field {
	fields := make([]field, 0, len(object))
	for key, value := range object {
		fields = append(fields, field{key, textSize(key) + size(value) + 2})
	}
	return fields
}

// cut replaces the field in out by what fits into share, with its mark, and
// gives the characters that it takes then. A field that finds no room is left out.
func (f field) cut(object, out map[string]any, share int, layout *catalog.List) int {
	const longestTotal = 20
	mark := f.key + cutSuffix
	overhead := textSize(f.key) + 2
	if _, marked := object[mark]; !marked {
		overhead += textSize(mark) + longestTotal + 2
	}
	room := share - overhead
	if room < 4 {
		delete(out, f.key)
		return 0
	}
	short := fitValue(object[f.key], room)
	out[f.key] = short
	if _, marked := object[mark]; !marked {
		out[mark] = total(object, f.key, count(object[f.key]), layout)
	}
	return overhead + size(short)
}

// count is the true size of a cut value: elements, fields or characters.
func count(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		if content, ok := contentOf(v); ok {
			return count(content)
		}
		return len(v)
	case string:
		return utf8.RuneCountInString(v)
	default:
		return 1
	}
}
