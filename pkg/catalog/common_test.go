package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

func TestCommonArgumentsAreSplitOff(t *testing.T) {
	c := museum(t, catalog.Options{})
	for _, k := range []struct {
		name, tool string
		args       map[string]any
		want       catalog.CommonArgs
		own        map[string]any
		faults     []string
	}{
		{"a create takes a key, a dry run, a wait and a company", "create_exhibit",
			map[string]any{"name": "x", "dry_run": "true", "idempotency_key": "k", "esperar_segundos": json.Number("30"), "empresa_id": "9007199254740993"},
			catalog.CommonArgs{DryRun: true, IdempotencyKey: "k", WaitSeconds: 30, CompanyID: 9007199254740993}, map[string]any{"name": "x"}, nil},
		{"null means absent", "create_exhibit",
			map[string]any{"dry_run": nil, "idempotency_key": nil, "empresa_id": nil},
			catalog.CommonArgs{}, map[string]any{}, nil},
		{"a list takes limit and page", "list_exhibits",
			map[string]any{"limit": json.Number("500"), "page": "2", "hall_id": json.Number("1")},
			catalog.CommonArgs{Limit: 500, LimitAsked: "500", Page: 2}, map[string]any{"hall_id": json.Number("1")}, nil},
		{"a limit of 0 is not an absent one", "list_exhibits",
			map[string]any{"limit": json.Number("0")}, catalog.CommonArgs{LimitAsked: "0"}, map[string]any{}, nil},
		{"what the tool does not take stays its own", "list_exhibits",
			map[string]any{"dry_run": true}, catalog.CommonArgs{}, map[string]any{"dry_run": true}, nil},
		{"a confirmation by name", "delete_hall",
			map[string]any{"confirmacion": "East", "hall_id": json.Number("1")}, catalog.CommonArgs{Confirmation: "East"}, map[string]any{"hall_id": json.Number("1")}, nil},
		{"a plain confirmation", "delete_exhibit",
			map[string]any{"confirmado": true}, catalog.CommonArgs{Confirmed: true}, map[string]any{}, nil},
		{"wrong ones are named", "create_exhibit",
			map[string]any{"dry_run": "yes", "esperar_segundos": json.Number("31"), "empresa_id": "1e3", "idempotency_key": ""},
			catalog.CommonArgs{}, map[string]any{},
			[]string{
				`dry_run: must be true or false, not the text "yes"`,
				`empresa_id: must be an integer, not the text "1e3"`,
				"esperar_segundos: must be at most 30",
				"idempotency_key: must not be empty",
			}},
	} {
		t.Run(k.name, func(t *testing.T) {
			own, common, faults := catalog.SplitCommon(tool(t, c, k.tool), k.args)
			var got []string
			for _, f := range faults {
				got = append(got, f.Path+": "+f.Message)
			}
			if diff := cmp.Diff(k.faults, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(k.want, common); diff != "" && len(k.faults) == 0 {
				t.Error(diff)
			}
			if diff := cmp.Diff(k.own, own); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestArgumentsOfTheCallerAreNotChanged(t *testing.T) {
	c := museum(t, catalog.Options{})
	args := map[string]any{"dry_run": true, "hall_id": "1", "name": "x", "frame": map[string]any{"metal": "tin", "width": "2"}}
	before := cmp.Diff(nil, args)
	own, _, _ := catalog.SplitCommon(tool(t, c, "create_exhibit"), args)
	if _, faults := tool(t, c, "create_exhibit").Check(own); len(faults) > 0 {
		t.Fatal(faults)
	}
	if after := cmp.Diff(nil, args); before != after {
		t.Error(after)
	}
}

func TestListedSchemasNameTheCommonArgumentsThatApply(t *testing.T) {
	c := museum(t, catalog.Options{})
	for name, want := range map[string]string{
		"list_exhibits":  "limit page empresa_id",
		"create_exhibit": "idempotency_key dry_run esperar_segundos empresa_id",
		"delete_exhibit": "confirmado dry_run empresa_id",
		"delete_hall":    "confirmacion dry_run empresa_id",
		"retrieve_hall":  "empresa_id",
	} {
		var listed struct {
			Properties map[string]any
			Required   []string
		}
		if err := json.Unmarshal(tool(t, c, name).Input.Listed, &listed); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, arg := range []string{"limit", "page", "confirmado", "confirmacion", "idempotency_key", "dry_run", "esperar_segundos", "empresa_id"} {
			if listed.Properties[arg] != nil {
				got = append(got, arg)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s lists %v, want %s", name, got, want)
		}
		if listed.Properties["per_page"] != nil {
			t.Errorf("%s still lists the platform's own page size", name)
		}
	}
}

func TestThePlatformsOwnPageSizeIsRefusedWithTheRightName(t *testing.T) {
	_, faults := tool(t, museum(t, catalog.Options{}), "list_exhibits").Check(map[string]any{"hall_id": 1, "per_page": 5})
	if len(faults) != 1 || faults[0].Path != "per_page" || !strings.Contains(faults[0].Message, "unknown argument; send limit instead") {
		t.Error(faults)
	}
}

func TestARefusalNamesTheCommonArgumentsToo(t *testing.T) {
	list := tool(t, museum(t, catalog.Options{}), "list_exhibits")
	for sent, want := range map[string]string{
		"zzz":    catalog.ArgLimit + ", " + catalog.ArgPage, // what it takes, at the end
		"limits": `did you mean "limit"?`,
	} {
		_, faults := list.Check(map[string]any{"hall_id": 1, sent: 5})
		if len(faults) != 1 || !strings.Contains(faults[0].Message, want) {
			t.Errorf("%s: %v, want %q", sent, faults, want)
		}
	}
}
