package shape

import (
	"reflect"
	"slices"
	"strings"
)

// Paths are places in a value: "data.name", "results[].code", "data.*".
type Paths []string

// Match reports whether a path of a value ("results[3].code") is one of them.
func (p Paths) Match(path string) bool {
	if len(p) == 0 || path == "" {
		return false
	}
	have := segments(path)
	for _, pattern := range p {
		want := segments(pattern)
		if len(want) != len(have) {
			continue
		}
		same := true
		for i := range want {
			same = same && (want[i] == "*" || want[i] == have[i])
		}
		if same {
			return true
		}
	}
	return false
}

// segments splits a path; every index becomes "[]".
func segments(path string) []string {
	var out []string
	for piece := range strings.SplitSeq(path, ".") {
		name, indexes, _ := strings.Cut(piece, "[")
		if name != "" {
			out = append(out, name)
		}
		if indexes == "" && !strings.HasSuffix(piece, "]") {
			continue
		}
		for range strings.Count(indexes, "]") {
			out = append(out, "[]")
		}
	}
	return out
}

// Leads reports whether a path leads to something that a value of the shape may
// have, as far as the document tells.
func (s *Shape) Leads(path string) bool { return s.leads(segments(path)) }

func (s *Shape) leads(way []string) bool {
	if len(way) == 0 {
		return true
	}
	for _, leaf := range s.Leaves() {
		switch {
		case leaf.Kind == Any && leaf.Enum == nil:
			return true
		case way[0] == "[]" && leaf.Kind == Array:
			if leaf.Items == nil || leaf.Items.leads(way[1:]) {
				return true
			}
		case leaf.Kind == Object && leaf.field(way):
			return true
		}
	}
	return false
}

func (s *Shape) field(way []string) bool {
	if way[0] == "[]" {
		return false
	}
	for _, p := range s.Props {
		if (way[0] == "*" || way[0] == p.Name) && p.Shape.leads(way[1:]) {
			return true
		}
	}
	if s.Extra.Shape != nil {
		return s.Extra.Shape.leads(way[1:])
	}
	// An object that names nothing may hold anything.
	return len(s.Props) == 0 && !s.Extra.Closed
}

const (
	maxMarked = 200 // marked places of one value
	maxRounds = 3   // how often a recursive shape is entered on one way
)

// Marked lists the places whose shape the document marks as secret, and as
// written by third parties. A recursive shape is entered a few times on each way.
func (s *Shape) Marked() (secret, untrusted Paths) {
	m := newMarker()
	m.walk(s, "")
	return m.secret, m.untrusted
}

// Reference is a place whose value names a root resource.
type Reference struct {
	Path string
	Name
}

// References lists the places that name root resources.
func (s *Shape) References() []Reference {
	m := newMarker()
	m.walk(s, "")
	return m.refs
}

// ShownOnce lists those secret places of Marked that are shown one time only.
func (s *Shape) ShownOnce() Paths {
	m := newMarker()
	m.walk(s, "")
	return m.once
}

// Addresses lists the places of URLs in which there may be a secret.
func (s *Shape) Addresses() Paths {
	m := newMarker()
	m.walk(s, "")
	return m.addresses
}

func newMarker() *marker { return &marker{on: map[*Shape]int{}, left: 20_000} }

type marker struct {
	secret, untrusted Paths
	once              Paths // of secret
	addresses         Paths
	refs              []Reference
	on                map[*Shape]int
	left              int
}

func (m *marker) walk(s *Shape, path string) {
	if m.left--; m.left < 0 || m.on[s] >= maxRounds || len(m.secret)+len(m.untrusted) >= maxMarked {
		return
	}
	if s.Names != nil && path != "" {
		ref := Reference{Path: path, Name: *s.Names}
		if !slices.ContainsFunc(m.refs, func(r Reference) bool { return reflect.DeepEqual(r, ref) }) {
			m.refs = append(m.refs, ref)
		}
		return
	}
	if s.Secret && path != "" {
		m.secret = add(m.secret, path)
		if s.Once {
			m.once = add(m.once, path)
		}
		return
	}
	if s.Address && path != "" {
		m.addresses = add(m.addresses, path)
		return
	}
	if s.Untrusted && path != "" {
		m.untrusted = add(m.untrusted, path)
		return
	}
	m.on[s]++
	defer func() { m.on[s]-- }()
	if s.Union != nil {
		for _, b := range s.Union.Branches {
			m.walk(b.Shape, path)
		}
		return
	}
	for _, name := range s.Masked {
		m.secret = add(m.secret, Join(path, name))
	}
	for _, p := range s.Props {
		m.walk(p.Shape, Join(path, p.Name))
	}
	if s.Extra.Shape != nil {
		m.walk(s.Extra.Shape, Join(path, "*"))
	}
	if s.Items != nil {
		m.walk(s.Items, path+"[]")
	}
}

func add(paths Paths, path string) Paths {
	for _, have := range paths {
		if have == path {
			return paths
		}
	}
	return append(paths, path)
}
