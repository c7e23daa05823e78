package answer

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

// Part is a stretch of one text or list inside an answer that is too long to come
// at once: characters of the text, elements of the list, both ends included.
type Part struct {
	where string // "data.code", "data.items[3].text"
	first int
	last  int // -1: to the end
	total int // how many there are; known once Take has seen the value
}

// WrongPart is why there is no such part.
type WrongPart struct{ Said problem.Sentence }

func (w *WrongPart) Error() string { return w.Said.String() }

func wrongPart(format string, args ...any) error {
	return &WrongPart{problem.Sentence{Format: format, Args: args}}
}

var (
	partForm = regexp.MustCompile(`^(\S+) (\d{1,15})-(\d{0,15})$`)
	anyIndex = regexp.MustCompile(`\[\d+\]`)
	partStep = regexp.MustCompile(`\[\d+\]|[^.\[\]\s]+`)
)

// ParsePart reads the argument rango of a tool that answers a resource.
func ParsePart(text string) (*Part, error) {
	said := partForm.FindStringSubmatch(text)
	if said == nil {
		return nil, wrongPart(`must be a place of the answer and a range, such as "data.code 58000-"`)
	}
	p := &Part{where: said[1], last: -1}
	p.first, _ = strconv.Atoi(said[2]) // 15 digits fit
	if said[3] != "" {
		if p.last, _ = strconv.Atoi(said[3]); p.last < p.first {
			return nil, wrongPart("ends before it begins")
		}
	}
	return p, nil
}

// Take gives a copy of the answer that has only this part of the value. It fails
// where there is no such value, or no such part of it.
func (p *Part) Take(value map[string]any) (map[string]any, error) {
	steps := partStep.FindAllString(p.where, -1)
	whole, _ := at(value, steps)
	if _, object := whole.(map[string]any); !object && whole != nil {
		p.total = count(whole)
	}
	if p.total == 0 {
		return nil, wrongPart("%s names no text or list of this answer", p.where)
	}
	if p.first >= p.total {
		return nil, wrongPart("begins after the end: %s has %d", p.where, p.total)
	}
	end := p.total
	if p.last >= 0 {
		end = min(p.last+1, p.total)
	}
	out, _ := replace(value, steps, slice(whole, p.first, end)).(map[string]any)
	return out, nil
}

// note says which part the answer has in the end, and which one follows. An element
// that was itself cut is told like what was cut of a whole answer.
func (p *Part) note(taken, out map[string]any) {
	steps := partStep.FindAllString(anyIndex.ReplaceAllString(p.where, "[0]"), -1)
	shown, found := at(out, steps)
	if !found {
		return
	}
	wanted, _ := at(taken, steps)
	if inner, kept, cut := firstCut(wanted, shown, ""); cut && inner != "" {
		index, rest, _ := strings.Cut(inner[1:], "]")
		i, _ := strconv.Atoi(index)
		out[recorte] = goOnFrom(fmt.Sprintf("%s[%d]%s", p.where, p.first+i, rest), kept)
	}
	next := p.first + count(shown)
	out["rango"] = fmt.Sprintf("%s %d-%d", p.where, p.first, next-1)
	if next < p.total {
		out["rango_siguiente"] = fmt.Sprintf("%s %d-", p.where, next)
	}
	parent, _ := at(out, steps[:len(steps)-1])
	if object, ok := parent.(map[string]any); ok {
		object[steps[len(steps)-1]+cutSuffix] = int64(p.total)
	}
}

// at finds the text or list that the steps lead to, or what is around it, through
// what was wrapped as untrusted.
func at(v any, steps []string) (any, bool) {
	for _, step := range steps {
		switch inside := unwrapped(v).(type) {
		case map[string]any:
			next, has := inside[step]
			if !has {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(strings.Trim(step, "[]"))
			if err != nil || step[0] != '[' || i >= len(inside) {
				return nil, false
			}
			v = inside[i]
		default:
			return nil, false
		}
	}
	v = unwrapped(v)
	switch v.(type) {
	case string, []any, map[string]any:
		return v, true
	}
	return nil, false
}

func unwrapped(v any) any {
	if content, ok := contentOf(v); ok {
		return content
	}
	return v
}

// replace gives a copy of v with another value where the steps lead, which at has
// found before. Of a list on the way it leaves that element alone, since the others
// would take the room.
func replace(v any, steps []string, by any) any {
	if len(steps) == 0 {
		return by
	}
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		out[steps[0]] = replace(v[steps[0]], steps[1:], by)
		return out
	case []any:
		i, _ := strconv.Atoi(strings.Trim(steps[0], "[]"))
		return []any{replace(v[i], steps[1:], by)}
	}
	return v
}

// slice is the elements or characters from first up to end.
func slice(v any, first, end int) any {
	if list, ok := v.([]any); ok {
		return list[first:end:end]
	}
	text, _ := v.(string)
	n, from := 0, len(text)
	for i := range text {
		if n == first {
			from = i
		}
		if n == end {
			return text[from:i]
		}
		n++
	}
	return text[from:]
}
