package catalog_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

func TestAnOperatorMovesToolsBetweenTheRows(t *testing.T) {
	rows, err := catalog.ParsePolicy("policy.yaml", []byte(`
- {tool: delete_exhibit, confirm: name, approval: none}
- {tool: create_exhibit, approval: human}
- {tool: delete_hall, never: halls are closed by the board}
- {tool: read_ticket, never: none}
`))
	if err != nil {
		t.Fatal(err)
	}
	c := museum(t, catalog.Options{Policy: rows})
	gone := tool(t, c, "delete_exhibit")
	if gone.Confirm != catalog.ConfirmName || gone.Approval != catalog.NoApproval {
		t.Errorf("%+v", gone)
	}
	if !strings.Contains(string(gone.Input.Listed), `"confirmacion"`) || strings.Contains(string(gone.Input.Listed), `"confirmado"`) {
		t.Error("the listed schema does not follow the policy")
	}
	if tool(t, c, "create_exhibit").Approval != catalog.HumanApproval {
		t.Error("create_exhibit needs no approval")
	}
	var never []string
	for _, tool := range c.Never() {
		never = append(never, tool.Name)
	}
	if diff := cmp.Diff([]string{"delete_hall"}, never); diff != "" {
		t.Error(diff)
	}
}

func TestStrictLeavesToPeopleWhatNeedsTheirYes(t *testing.T) {
	c := museum(t, catalog.Options{Strict: true})
	if gone := tool(t, c, "delete_exhibit"); gone.Never == "" {
		t.Error("delete_exhibit may still be called")
	}
	c = museum(t, catalog.Options{Strict: true, Policy: []catalog.PolicyRow{{Tool: "delete_exhibit", Never: catalog.None}}})
	if gone := tool(t, c, "delete_exhibit"); gone.Never != "" || gone.Approval != catalog.HumanApproval {
		t.Error("an operator cannot except a tool from strict")
	}
}

func TestAWrongPolicyIsAnError(t *testing.T) {
	for _, c := range []struct{ name, policy, want string }{
		{"an unknown tool", "- {tool: delete_exhibits, approval: human}", `there is no tool "delete_exhibits"; did you mean "delete_exhibit"?`},
		{"an unknown key", "- {tool: delete_exhibit, aproval: human}", "aproval"},
		{"an unknown confirmation", "- {tool: delete_exhibit, confirm: twice}", "confirm must be name, true or none"},
		{"an unknown approver", "- {tool: delete_exhibit, approval: robot}", "approval must be human or none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, err := catalog.ParsePolicy("policy.yaml", []byte(c.policy))
			if err == nil {
				_, err = catalog.Load(os.DirFS("testdata/museum"), catalog.Options{Policy: rows})
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAPolicyReachesHandWrittenToolsToo(t *testing.T) {
	rows := []catalog.PolicyRow{{Tool: "publish", Confirm: catalog.ConfirmTrue}, {Tool: "delete_hall", Confirm: catalog.None}}
	c := museum(t, catalog.Options{Policy: rows, Others: []string{"publish"}})
	if tool(t, c, "delete_hall").Confirm != catalog.NoConfirm {
		t.Error("the document's tool was not changed")
	}
	publish, err := catalog.HandTool(catalog.Tool{Name: "publish", Effect: catalog.Write}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := catalog.ApplyPolicy([]*catalog.Tool{publish}, catalog.Options{Policy: rows}); err != nil {
		t.Fatal(err)
	}
	if publish.Confirm != catalog.ConfirmTrue || !strings.Contains(string(publish.Input.Listed), `"confirmado"`) {
		t.Errorf("%s %s", publish.Confirm, publish.Input.Listed)
	}
	unnamed := catalog.Options{Policy: []catalog.PolicyRow{{Tool: "publish", Confirm: catalog.ConfirmName}}}
	if err := catalog.ApplyPolicy([]*catalog.Tool{publish}, unnamed); err == nil || !strings.Contains(err.Error(), "take true") {
		t.Errorf("it asks for the name of what has none: %v", err)
	}
}
