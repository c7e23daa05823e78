package model

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var words = map[Kind]string{
	List: "list", Create: "create", Retrieve: "retrieve", Replace: "replace", Patch: "patch",
	Delete: "delete", Clone: "clone", Copy: "copy", Order: "order", Act: "act",
}

func gardens(t *testing.T) *Model {
	t.Helper()
	m, err := Load(map[string]fs.FS{"garden": os.DirFS("../../testdata/garden")})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWhatAnOperationDoesIsReadFromItsPathAndMethod(t *testing.T) {
	want := map[string]string{
		"list_gardens":        "list /workspace/gardens 200",
		"create_garden":       "create /workspace/gardens 201",
		"update_garden":       "replace /workspace/gardens 200",
		"clone_garden":        "clone /workspace/gardens 201",
		"retrieve_fence":      "retrieve /workspace/gardens/{garden_id}/fence 200 below garden_id",
		"update_fence":        "replace /workspace/gardens/{garden_id}/fence 200 below garden_id",
		"delete_bed":          "delete /workspace/gardens/{garden_id}/beds 204 below garden_id",
		"list_plants":         "list /workspace/gardens/{garden_id}/beds/{bed_id}/plants 200 below garden_id bed_id",
		"order_chores":        "order /workspace/gardens/{garden_id}/chores 200 below garden_id",
		"water":               "act 201",
		"request_shed":        "create /workspace/sheds 201",
		"delete_shed":         "delete /workspace/sheds 202 later",
		"download_thing":      "retrieve /workspace/crates/{crate_name}/things 200 below crate_name",
		"create_thing":        "create /workspace/crates/{crate_name}/things 201 below crate_name",
		"copy_thing":          "copy /workspace/crates/{crate_name}/things 201 below crate_name",
		"put_label":           "replace /workspace/labels 200",
		"list_varieties":      "list /workspace/varieties 200",
		"partial_update_shed": "patch /workspace/sheds 202 later",
	}
	got := map[string]string{}
	for _, op := range gardens(t).Operations {
		if _, asked := want[op.ID]; asked {
			got[op.ID] = told(op)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func told(op *Operation) string {
	said := []string{words[op.Kind]}
	if op.On != nil {
		said = append(said, op.On.Template)
	}
	said = append(said, fmt.Sprint(op.Answer.Status))
	if op.Answer.Pending {
		said = append(said, "later")
	}
	if len(op.Parents) > 0 {
		said = append(said, "below")
	}
	for _, p := range op.Parents {
		said = append(said, strings.Trim(Steps(op.Template)[p.Depth-1], "{}"))
	}
	return strings.Join(said, " ")
}

func TestWhatTellsItemsApartIsReadFromPathAndSchemas(t *testing.T) {
	want := map[string]string{
		"/workspace/gardens":                    "id integer generated",
		"/workspace/gardens/{garden_id}/chores": "id integer generated ordered",
		"/workspace/crates":                     "name",
		"/workspace/crates/{crate_name}/things": "key generated",
		"/workspace/labels":                     "label generated upsert",
		"/workspace/gardens/{garden_id}/fence":  "singleton",
	}
	got := map[string]string{}
	for _, c := range gardens(t).Collections {
		if _, asked := want[c.Template]; !asked {
			continue
		}
		said := []string{c.Key.Field}
		for _, flag := range []struct {
			word  string
			holds bool
		}{{"integer", c.Key.Integer}, {"generated", c.Key.Generated}, {"ordered", c.Ordered}, {"upsert", c.Upsert}, {"singleton", c.Singleton}} {
			if flag.holds {
				said = append(said, flag.word)
			}
		}
		got[c.Template] = strings.TrimSpace(strings.Join(said, " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMatchKeepsASegmentWhole(t *testing.T) {
	m := gardens(t)
	tests := []struct{ path, template string }{
		{"/workspace/gardens", "/workspace/gardens"},
		{"/workspace/sheds/request", "/workspace/sheds/request"},
		{"/workspace/sheds/7", "/workspace/sheds/{shed_id}"},
		{"/workspace/crates/a%2Fb", "/workspace/crates/{crate_name}"},
		{"/workspace/crates/a/b", ""},
		{"/workspace/crates/", ""},
		{"/workspace//crates", ""},
		{"/workspace/crates/%zz", ""},
		{"", ""},
	}
	for _, tt := range tests {
		match, _ := m.Match(tt.path)
		got := ""
		for _, method := range []string{"GET", "POST"} {
			if op := match.Operation(method); op != nil {
				got = op.Template
			}
		}
		if got != tt.template {
			t.Errorf("%s is %q, want %q", tt.path, got, tt.template)
		}
	}
}
