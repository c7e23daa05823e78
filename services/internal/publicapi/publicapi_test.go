package publicapi

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

var quay = Rules{
	Profiles:  map[string][]string{"/workspace": {"quay"}},
	Untrusted: map[string][]string{"/workspace/firewalls": {"comment"}},
	Limits:    map[string]string{"/workspace/firewalls": "tide"},
}

// harbour is the document in which nothing is wrong, with one text changed.
func harbour(t *testing.T, old, changed string) fs.FS {
	t.Helper()
	text, err := os.ReadFile("testdata/harbour.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("the harbour has no %q", old)
	}
	text = []byte(strings.Replace(string(text), old, changed, 1))
	return fstest.MapFS{"harbour.yaml": {Data: text}}
}

func TestADifferenceIsFound(t *testing.T) {
	public := Operations(t, harbour(t, "", ""))[0]
	for name, change := range map[string][2]string{
		"a field too many":             {"deep: {type: boolean, default: true}", "deep: {type: boolean, default: true}\n        wide: {type: boolean}"},
		"a field too few":              {"deep: {type: boolean, default: true}", ""},
		"another limit":                {"maxLength: 100", "maxLength: 101"},
		"another default":              {"default: true", "default: false"},
		"a field that may be left out": {"required: [name]", ""},
		"another answer":               {"'201'", "'200'"},
		"a body that may be left out":  {"required: true", "required: false"},
	} {
		t.Run(name, func(t *testing.T) {
			ours := Operations(t, harbour(t, change[0], change[1]))[0]
			if got := Differences(public, ours); len(got) == 0 {
				t.Error("no difference was found")
			}
		})
	}
}

func TestAnOpenObjectIsADifferenceInWhatIsSentOnly(t *testing.T) {
	public := Operations(t, harbour(t, "", ""))[0]
	ours := Operations(t, harbour(t, "additionalProperties: false", ""))[0]
	if got := Differences(public, ours); len(got) != 1 || !strings.Contains(got[0], ".body.") {
		t.Errorf("differences: %q, want one of the body", got)
	}
}

func TestProseAndNamesOfComponentsAreNoDifference(t *testing.T) {
	public := Operations(t, harbour(t, "", ""))[0]
	for name, change := range map[string][2]string{
		"a description": {"comment: {type: string}", "comment: {type: string, description: Who lies there.}"},
		"a summary":     {"Make a berth", "Dig a berth"},
		"x-mcp":         {"[quay]", "[pier]"},
	} {
		t.Run(name, func(t *testing.T) {
			ours := Operations(t, harbour(t, change[0], change[1]))[0]
			if got := Differences(public, ours); len(got) != 0 {
				t.Errorf("differences: %q, want none", got)
			}
		})
	}
}

func TestAFieldThatDoesNotTravelThatWayIsNoDifference(t *testing.T) {
	public := Operations(t, harbour(t, "required: [name]", "required: [name, id]"))[0]
	ours := Operations(t, harbour(t, "id: {type: integer, readOnly: true}", ""))[0]
	got := Differences(public, ours)
	for _, line := range got {
		if strings.Contains(line, ".body.") {
			t.Errorf("a readOnly field counts as sent: %s", line)
		}
	}
	if len(got) != 2 { // the field, and that it is always there
		t.Errorf("differences: %q, want two of the answer", got)
	}
}

func TestReferencesLeadToOtherFiles(t *testing.T) {
	public := Operations(t, harbour(t, "", ""))[0]
	whole, err := fs.ReadFile(harbour(t, "$ref: '#/", "$ref: 'ships.yaml#/"), "harbour.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, components, _ := strings.Cut(string(whole), "\ncomponents:")
	ours := Operations(t, fstest.MapFS{
		"harbour.yaml": {Data: whole},
		"ships.yaml":   {Data: []byte("components:" + components)},
	})[0]
	if got := Differences(public, ours); len(got) != 0 {
		t.Errorf("differences: %q, want none", got)
	}
}

func TestNothingIsWrongInTheHarbour(t *testing.T) {
	CheckRules(t, harbour(t, "", ""), quay)
	CheckText(t, harbour(t, "", ""))
}

func TestABrokenRuleIsFound(t *testing.T) {
	for name, c := range map[string]struct{ old, changed, want string }{
		"a write that says it reads":            {"effect: write", "effect: read", "effect"},
		"a deletion without the name":           {"confirm: name", "confirm: true", "confirm"},
		"a deletion that no person agrees to":   {"approval: human", "", "approval"},
		"another profile":                       {"[quay]", "[pier]", "profiles"},
		"no root":                               {"root: firewall", "", "root"},
		"another kind of root":                  {"root: firewall", "root: {kind: waf, arg: name}", "root"},
		"a 202 that is no operation":            {"operation: {}", "", "operation"},
		"a create that cannot be found again":   {"find: {by: [name]}", "", "find"},
		"a write without its limit":             {"limits: [tide]", "", "limits"},
		"text of a third party that is trusted": {"untrusted: [data.comment]", "", "untrusted"},
		"a secret in clear":                     {", x-mcp: {secret: true}", "", "private_key"},
	} {
		t.Run(name, func(t *testing.T) {
			var all []string
			for _, op := range Operations(t, harbour(t, c.old, c.changed)) {
				all = append(all, quay.faults(op)...)
			}
			if len(all) != 1 || !strings.HasPrefix(all[0], c.want) {
				t.Errorf("faults: %q, want one of %s", all, c.want)
			}
		})
	}
}

func TestTheLongestPathHolds(t *testing.T) {
	values := map[string]string{"/a": "short", "/a/b": "long"}
	for path, want := range map[string]string{"/a": "short", "/a/c": "short", "/a/b": "long", "/a/b/c": "long", "/ab": "", "/": ""} {
		if got := longest(values, path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestADeviationExplainsItsPlaceOnly(t *testing.T) {
	deviations := []Deviation{{regexp.MustCompile(`^a\.b: `), "because"}}
	if deviates(deviations, "a.b: the public document says 1, ours 2") != 0 {
		t.Error("its own place is not explained")
	}
	if deviates(deviations, "a.bc: the public document says 1, ours 2") != -1 {
		t.Error("another place is explained")
	}
}
