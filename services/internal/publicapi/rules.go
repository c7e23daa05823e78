package publicapi

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// Rules is what an area says of its own tools; what is the same in all areas
// follows from the method and the path (contract §5).
type Rules struct {
	// Profiles has the profiles of the paths below a path; the longest holds.
	Profiles map[string][]string
	// Effects has the tools whose effect does not follow from their method.
	Effects map[string]string
	// Untrusted has the fields in which third parties may have written, by the
	// path of the resource that has them.
	Untrusted map[string][]string
	// Limits has the limit of every write below a path.
	Limits map[string]string
	// Long has the tools that are operations though no 202 is documented.
	Long []string
	// Unfindable has the POSTs that make nothing that could be found again, and why.
	Unfindable map[string]string
}

// CheckRules reports every operation whose x-mcp is not what the contract and
// the area's rules want.
func CheckRules(t *testing.T, documents fs.FS, r Rules) {
	t.Helper()
	for _, op := range Operations(t, documents) {
		t.Run(op.Name(), func(t *testing.T) {
			for _, fault := range r.faults(op) {
				t.Error(fault)
			}
		})
	}
}

func (r Rules) faults(op Operation) []string {
	var all faults
	mcp := op.rules()
	want := effect(op)
	if other, ok := r.Effects[op.Name()]; ok {
		want = other
	}
	all.unequal("effect", mcp["effect"], want)
	all.unequal("confirm", mcp["confirm"], confirmation(op, want))
	all.unequal("profiles", texts(mcp["profiles"]), longest(r.Profiles, op.Path))
	all.unequal("root", rootKind(mcp["root"]), kind(op.Path))
	all.unequal("limits", texts(mcp["limits"]), r.limits(op, want))

	var approval any
	if op.Method == "delete" && human[op.Path] {
		approval = "human"
	}
	all.unequal("approval", mcp["approval"], approval)

	answers, _ := op.Spec["responses"].(Object)
	_, accepted := answers["202"]
	_, long := mcp["operation"]
	all.unequal("operation declared", long, accepted || slices.Contains(r.Long, op.Name()))

	_, unfindable := r.Unfindable[op.Name()]
	_, find := mcp["find"]
	all.unequal("find declared", find, op.Method == "post" && !unfindable)

	all.missing("untrusted", texts(mcp["untrusted"]), r.untrusted(op))
	return append(all, plainSecrets(op)...)
}

func (r Rules) limits(op Operation, effect string) []string {
	name, ok := longestKey(r.Limits, op.Path)
	if !ok || effect == "read" {
		return nil
	}
	return []string{r.Limits[name]}
}

// untrusted are the paths of an operation's answer that must be declared.
func (r Rules) untrusted(op Operation) []string {
	resource, ok := longestKey(r.Untrusted, op.Path)
	if !ok || op.Method == "delete" {
		return nil
	}
	holder := "data."
	if op.Method == "get" && op.Path == resource || strings.HasSuffix(op.Path, "/order") {
		holder = "results[]."
	}
	var paths []string
	for _, field := range r.Untrusted[resource] {
		paths = append(paths, holder+field)
	}
	return paths
}

// longest is the value of the longest key that the path is under.
func longest[V any](values map[string]V, path string) V {
	key, _ := longestKey(values, path)
	return values[key]
}

func longestKey[V any](values map[string]V, path string) (key string, found bool) {
	for candidate := range values {
		if len(candidate) > len(key) && Under(candidate)(path) {
			key, found = candidate, true
		}
	}
	return key, found
}

// rootKind reads x-mcp root in both its forms.
func rootKind(root any) string {
	switch root := root.(type) {
	case string:
		return root
	case Object:
		kind, _ := root["kind"].(string)
		return kind
	default:
		return ""
	}
}
