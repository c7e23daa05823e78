package everytool

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// row is what a tool is called with beyond what its schema and its place say. A text
// "$/path" stands for the key of what was last made at that path.
type row struct {
	Tool string         `yaml:"tool"`
	Path map[string]any `yaml:"path"` // parameters of the path
	Args map[string]any `yaml:"args"`
	Key  string         `yaml:"key"` // of what it makes, where the answer does not tell
}

//go:embed testdata/arguments.yaml
var argumentsText []byte

// story is the order of the calls and what they are called with.
type story struct {
	rows  []row
	keys  map[string]any            // of what was last made, by the template of its collection
	names map[string]string         // what it is called
	order []string                  // the templates, in the order of making
	made  map[string]map[string]any // what it was made with
}

func newStory(t *testing.T) *story {
	t.Helper()
	s := &story{keys: map[string]any{}, names: map[string]string{}, made: map[string]map[string]any{}}
	s.keys["/made/certificate"], s.keys["/made/private_key"], s.keys["/made/crl"] = certified(t)
	if err := yaml.Unmarshal(argumentsText, &s.rows); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *story) row(name string) (row, int) {
	i := slices.IndexFunc(s.rows, func(r row) bool { return r.Tool == name })
	if i < 0 {
		return row{}, len(s.rows)
	}
	return s.rows[i], i
}

// inOrder sorts tools so that each finds what it needs: makers as the rows stand,
// then readers, then changes, then deletions from the inside out.
func (s *story) inOrder(all []tool) []tool {
	for _, r := range s.rows {
		if i := slices.IndexFunc(all, func(t tool) bool { return t.Name == r.Tool }); i >= 0 && phase(all[i]) == 0 {
			s.order = append(s.order, made(all[i]))
		}
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b tool) int {
		return cmp.Or(cmp.Compare(phase(a), phase(b)), s.within(a, b), cmp.Compare(a.Name, b.Name))
	})
	return sorted
}

func phase(t tool) int {
	switch b := t.Binding; {
	case b.Method == "POST" && t.Creates && !strings.HasSuffix(b.Path, "/clone"), b.Method == "POST" && strings.HasSuffix(b.Path, "{object_key}"):
		return 0
	case b.Method == "GET":
		return 1
	case b.Method == "PATCH":
		return 2
	case b.Method == "PUT":
		return 3
	case b.Method == "POST":
		return 4
	default:
		return 5
	}
}

func (s *story) within(a, b tool) int {
	if phase(a) == 0 {
		_, i := s.row(a.Name)
		_, j := s.row(b.Name)
		return cmp.Compare(i, j)
	}
	if phase(a) == 5 { // what lies deeper goes first, and what names others before them
		return cmp.Or(-cmp.Compare(strings.Count(a.Binding.Path, "/"), strings.Count(b.Binding.Path, "/")), -cmp.Compare(s.age(a), s.age(b)))
	}
	return 0
}

// age is when something was made in the collection of a deletion's tool.
func (s *story) age(t tool) int { return slices.Index(s.order, collection(t.Binding.Path)) }

// made is the template of the collection that a maker adds to.
func made(t tool) string {
	if strings.HasSuffix(t.Binding.Path, "}") {
		return collection(t.Binding.Path)
	}
	return t.Binding.Path
}

// collection is the template above a template's last parameter.
func collection(template string) string {
	i := strings.LastIndex(template, "/{")
	if i < 0 {
		return template
	}
	return template[:i]
}

// arguments are those of a call.
func (s *story) arguments(t *testing.T, one tool) map[string]any {
	t.Helper()
	r, _ := s.row(one.Name)
	args := map[string]any{}
	for _, p := range one.Binding.Params {
		if p.In != catalog.Path {
			continue
		}
		key, ok := r.Path[p.Name]
		if !ok {
			key, ok = s.keys[above(one.Binding.Path, p.Name)]
		}
		if !ok {
			t.Errorf("%s: nothing made what stands for %s", one.Name, p.Name)
		}
		args[p.Arg] = s.filled(key)
	}
	s.body(one, r, args)
	switch one.Confirm {
	case catalog.ConfirmName:
		args[catalog.ArgConfirmation] = s.names[collection(one.Binding.Path)]
	case catalog.ConfirmTrue:
		args[catalog.ArgConfirmed] = true
	}
	if one.Operation != nil {
		args[catalog.ArgWait] = 10
	}
	return args
}

// above is the template before a parameter.
func above(template, param string) string {
	before, _, _ := strings.Cut(template, "/{"+param+"}")
	return before
}

// body adds the arguments of a body: those of the row, else those with which the
// resource was made, else another name, else what the schema asks for.
func (s *story) body(one tool, r row, args map[string]any) {
	b := one.Binding.Body
	if b == nil && r.Args == nil {
		return
	}
	said := r.Args
	at := collection(one.Binding.Path)
	switch has := func(name string) bool { return b != nil && slices.Contains(b.Fields, name) }; {
	case said != nil:
	case one.Binding.Method == "PUT" && s.made[at] != nil:
		said = s.made[at]
	case one.Binding.Method != "POST" && has("name"):
		said = map[string]any{"name": "renamed-" + strings.ReplaceAll(at[strings.LastIndex(at, "/")+1:], "_", "-")}
	case one.spec.RequestBody != nil && one.spec.RequestBody.Value.Content["application/json"] != nil:
		said, _ = sample(one.spec.RequestBody.Value.Content["application/json"].Schema.Value).(map[string]any)
	}
	said, _ = s.filled(said).(map[string]any)
	if b != nil && b.Whole != "" && said[b.Whole] == nil {
		args[b.Whole] = said
		return
	}
	for name, v := range said {
		args[name] = v
	}
}

// filled puts keys in the place of the texts that stand for them.
func (s *story) filled(v any) any {
	switch v := v.(type) {
	case string:
		if key, ok := s.keys[strings.TrimPrefix(v, "$")]; ok && strings.HasPrefix(v, "$/") {
			return key
		}
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = s.filled(e)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, e := range v {
			out[name] = s.filled(e)
		}
		return out
	}
	return v
}

// happened remembers what a call made or renamed.
func (s *story) happened(one tool, args, answer map[string]any) {
	r, _ := s.row(one.Name)
	at := collection(one.Binding.Path)
	whole, _ := args["body"].(map[string]any)
	name, ok := args["name"].(string)
	if !ok {
		name, ok = whole["name"].(string)
	}
	if ok && (phase(one) == 0 || phase(one) == 2 || phase(one) == 3) && strings.HasSuffix(one.Binding.Path, "}") {
		s.names[at] = name
	}
	if phase(one) != 0 {
		return
	}
	at = made(one)
	s.names[at] = name
	data, _ := answer["data"].(map[string]any)
	switch id, ok := data["id"]; {
	case r.Key != "":
		s.keys[at] = r.Key
	case ok:
		s.keys[at] = id
	}
	s.made[at] = r.Args
}

// sample is the plainest value of a schema that needs no thought.
func sample(schema *openapi3.Schema) any {
	if schema.Default != nil {
		return schema.Default
	}
	if len(schema.Enum) > 0 {
		return schema.Enum[0]
	}
	switch {
	case schema.Type.Is("object"):
		out := map[string]any{}
		for _, name := range schema.Required {
			if p := schema.Properties[name]; p != nil && !p.Value.ReadOnly {
				out[name] = sample(p.Value)
			}
		}
		return out
	case schema.Type.Is("array"):
		return []any{}
	case schema.Type.Is("integer"), schema.Type.Is("number"):
		return json.Number(fmt.Sprint(max(1, deref(schema.Min))))
	case schema.Type.Is("boolean"):
		return true
	default:
		return strings.Repeat("x", max(3, int(schema.MinLength)))
	}
}

func deref(f *float64) int {
	if f == nil {
		return 0
	}
	return int(*f)
}
