package shape

// A list tells each thing once: what another of its tools tells in full is only
// pointed at, see Listing.Elsewhere.

// worthwhile is from how many characters on a line and its words are not repeated.
const worthwhile = 40

func (r *renderer) elsewhere(s *Shape, path string, depth int) string {
	if r.listing.Elsewhere == nil || depth != 1 {
		return ""
	}
	line := s.line(fullLine, false)
	if len(line)+len(s.Text) < worthwhile {
		return ""
	}
	return r.listing.Elsewhere(path, line)
}

// known reports that a scalar's words stand elsewhere already.
func (r *renderer) known(s *Shape, path string, depth int) bool {
	return r.listing.Elsewhere != nil && depth == 1 && (s.Text != "" || s.Default != nil || s.Enum != nil) && r.listing.Elsewhere(path, s.plain()) != ""
}

// plain is what a scalar says of itself, to compare.
func (s *Shape) plain() string {
	return s.Kind.word() + " " + s.Text + " " + flow(s.Enum) + " " + flow(s.Default)
}

// fullLine is a line with nothing left out, to compare.
var fullLine = detail{inner: 1 << 10, line: 1 << 14}

// Lines are what stands elsewhere for those who take the same properties: the
// lines of an object's compound ones in full, the words of the others.
func (s *Shape) Lines() map[string]string {
	r := renderer{made: map[string]*Shape{}}
	out := map[string]string{}
	for _, p := range r.merged(s.objects(), s.Union).props {
		if p.Shape.Union != nil || p.Shape.nests() {
			out[p.Name] = p.Shape.line(fullLine, false)
		} else {
			out[p.Name] = p.Shape.plain()
		}
	}
	return out
}
