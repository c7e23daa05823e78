package catalogs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// The policy files that an operator reads and copies.
const (
	defaultPolicy = "../../docs/policies/default.yaml"
	strictPolicy  = "../../docs/policies/strict.yaml"
)

func TestTheShippedPolicyFiles(t *testing.T) {
	tools := all(t, catalog.Options{})
	expected(t, defaultPolicy, `# The policy "default": how each sensitive tool is confirmed and approved where an
# operator says nothing. It is made from the documents of the areas; a host that
# loads it (policy-file) behaves as one that loads none. Copy it and change rows:
# confirm is name, true or none, approval human or none, never a reason or none.
`+rowsOf(tools, func(tool *catalog.Tool) string {
		row := ""
		if tool.Confirm != "" {
			row += fmt.Sprintf(", confirm: %q", tool.Confirm)
		}
		if tool.Approval != "" {
			row += ", approval: " + string(tool.Approval)
		}
		return row
	}))
	expected(t, strictPolicy, `# The policy "strict": what needs a person's yes for each call is for people alone.
# The setting strict does the same, for tools that an operator adds, too.
`+rowsOf(tools, func(tool *catalog.Tool) string {
		if tool.Approval != catalog.HumanApproval {
			return ""
		}
		return `, never: "the policy strict leaves this to people"`
	}))
}

// rowsOf writes a row for each tool that the policy says something of.
func rowsOf(tools []*catalog.Tool, says func(*catalog.Tool) string) string {
	var rows strings.Builder
	for _, tool := range tools {
		if row := says(tool); row != "" {
			fmt.Fprintf(&rows, "- {area: %s, tool: %s%s}\n", tool.Area, tool.Name, row)
		}
	}
	return rows.String()
}

func TestTheFilesDoWhatTheySay(t *testing.T) {
	if *update {
		t.Skip("the files are being written")
	}
	for name, c := range map[string]struct {
		file string
		same catalog.Options
	}{
		"default changes nothing":           {defaultPolicy, catalog.Options{}},
		"strict does what the setting does": {strictPolicy, catalog.Options{Strict: true}},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(c.file)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := catalog.ParsePolicy(c.file, text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(rulesOf(all(t, c.same)), rulesOf(all(t, catalog.Options{Policy: rows}))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func rulesOf(tools []*catalog.Tool) map[string]string {
	rules := map[string]string{}
	for _, tool := range tools {
		rules[tool.Name] = fmt.Sprint(tool.Confirm, " ", tool.Approval, " ", tool.Never)
	}
	return rules
}
