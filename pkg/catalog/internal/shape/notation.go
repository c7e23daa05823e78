package shape

import (
	"slices"
	"strings"
)

// notation tells what is inside an argument in one line, as programmers write
// types: {name, size?: integer, kind: a|b, parts?: [{id: integer}]}. It costs a
// quarter of the same schema in JSON. ? marks what may be left out; a field
// without a type is a text; alternatives stand with | between them.
type notation struct {
	words  int  // characters of a field's own text; 0: none
	answer bool // everything may be missing, so that nothing is marked
	on     map[*Shape]bool
	left   int // shapes that may still be told
}

// maxTold bounds the shapes of one line, whatever the schema shares.
const maxTold = 400

// line is s in this notation, at most limit characters.
func (s *Shape) line(d detail, answer bool) string {
	n := notation{words: d.inner, answer: answer, on: map[*Shape]bool{}, left: maxTold}
	return cut(n.value(s), d.line)
}

// value is what stands after the colon.
func (n *notation) value(s *Shape) string {
	if n.left--; n.left < 0 || n.on[s] {
		return "…"
	}
	n.on[s] = true
	defer delete(n.on, s)
	switch {
	case s.Union != nil:
		return n.union(s)
	case s.Enum != nil:
		return told(s.Enum)
	case s.Kind == Object:
		return n.object(s, "", "")
	case s.Kind == Array && s.Items != nil:
		return "[" + n.value(s.Items) + "]"
	case s.Kind == Array:
		return "[]"
	case s.Kind == String && s.Format == "date-time":
		return s.Format
	case s.Kind == String:
		return "text"
	case s.Kind == Any:
		return "any"
	}
	return s.Kind.word()
}

// object tells the fields, the required ones first and of those what is short. Where tag is one of them it
// can only be one of chosen.
func (n *notation) object(s *Shape, tag, chosen string) string {
	if s.Keys {
		return n.keys(s)
	}
	if len(s.Props) == 0 && s.Extra.Shape != nil {
		return "{<name>: " + n.value(s.Extra.Shape) + "}"
	}
	if len(s.Props) == 0 && !s.Extra.Closed {
		return "object"
	}
	var fields []string
	if tag != "" {
		fields = append(fields, tag+": "+chosen)
	}
	for _, p := range inOrder(s.Props) {
		if n.left < 0 {
			return "{" + strings.Join(append(fields, "…"), ", ") + "}" // a hundred more would only say … each
		}
		if p.Name != tag {
			fields = append(fields, n.field(p))
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// inOrder puts the required fields first, and of each sort those that hold no others,
// so that a line that is cut loses what is long and not the kind that it is of.
func inOrder(props []Prop) []Prop {
	var ranks [4][]Prop
	for _, p := range props {
		rank := 0
		if !p.Required {
			rank += 2
		}
		if slices.ContainsFunc(p.Shape.Leaves(), func(leaf *Shape) bool { return leaf.Kind == Object || leaf.Kind == Array }) {
			rank++
		}
		ranks[rank] = append(ranks[rank], p)
	}
	return slices.Concat(ranks[:]...)
}

// keys tells what may be chosen from. Numbers are not marked, since the check
// takes "12" for 12. Names that differ after __ stand together: made__gte/__lte.
func (n *notation) keys(s *Shape) string {
	var out []string
	base, last := "", ""
	short := s.hasUsual()
	for _, p := range s.Props {
		if short && slices.Contains(usual, p.Name) {
			continue
		}
		kind := n.key(p.Shape)
		stem, suffix, cut := strings.Cut(p.Name, "__")
		if cut && stem == base && kind == last {
			before := strings.TrimSuffix(out[len(out)-1], kind)
			out[len(out)-1] = before + "/__" + suffix + kind
			continue
		}
		out = append(out, p.Name+kind)
		if base = ""; cut {
			base, last = stem, kind
		}
	}
	if short {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

// usual are the keys of nearly every filter. … stands for them where all are there
// and others beside them.
var usual = []string{"fields", "ordering", "search"}

func (s *Shape) hasUsual() bool {
	known := 0
	for _, p := range s.Props {
		if slices.Contains(usual, p.Name) {
			known++
		}
	}
	return known == len(usual) && len(s.Props) > known
}

// key is what stands behind a key's name.
func (n *notation) key(s *Shape) string {
	out := ""
	if kind := n.value(s); kind != "text" && s.Kind != Integer && s.Kind != Number || s.Enum != nil {
		out = ": " + kind
	}
	if text := strings.TrimSuffix(s.Text, "."); text != "" && len(text) <= keyText {
		out += " (" + text + ")"
	}
	return out
}

// keyText is how many characters a key may say of itself.
const keyText = 24

func (n *notation) field(p Prop) string {
	out := p.Name
	if !p.Required && !n.answer {
		out += "?"
	}
	if kind := n.value(p.Shape); kind != "text" {
		out += ": " + kind
	}
	if n.words == 0 {
		return out
	}
	if text := shorten(p.Shape.Text, n.words); text != "" {
		out += " (" + strings.TrimSuffix(text, ".") + ")"
	}
	return out
}

// union tells objects by their discriminator; branches that have the same fields
// beside it stand together.
func (n *notation) union(s *Shape) string {
	tag, _ := s.Union.tags()
	if tag == "" || slices.ContainsFunc(s.Union.Branches, func(b Branch) bool { return b.Shape.Union != nil || b.Shape.Kind != Object }) {
		var out []string
		for _, leaf := range s.Leaves() {
			if one := n.value(leaf); !slices.Contains(out, one) {
				out = append(out, one)
			}
		}
		return strings.Join(out, "|")
	}
	var rests []string
	chosen := map[string][]string{}
	for _, b := range s.Union.Branches {
		rest := n.object(b.Shape, tag, "\x00")
		if chosen[rest] == nil {
			rests = append(rests, rest)
		}
		chosen[rest] = append(chosen[rest], b.Values...)
	}
	for i, rest := range rests {
		rests[i] = strings.Replace(rest, "\x00", told(stringsToAny(chosen[rest])), 1)
	}
	return strings.Join(rests, " | ")
}

// told tells allowed values; texts without quotes where nothing can be mistaken.
func told(allowed []any) string {
	const most = 30
	var out []string
	for i, v := range allowed {
		if i == most {
			out = append(out, "…")
			break
		}
		out = append(out, flow(v))
	}
	return strings.Join(out, "|")
}
