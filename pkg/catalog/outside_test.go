package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// TestWhatNoAgentMay is contract §5's row "never".
func TestWhatNoAgentMay(t *testing.T) {
	all, err := catalog.Outside()
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]string{}
	for _, tool := range all {
		why[tool.Name] = tool.Never
		if tool.Binding != nil || tool.Title == "" || tool.Effect != catalog.Destructive {
			t.Errorf("%s: it could be taken for something that can be done: %+v", tool.Name, tool)
		}
	}
	if diff := cmp.Diff(map[string]string{
		"iniciar_sesion":        "only a person signs in, with a credential that no agent sees",
		"crear_token_personal":  "a token has all rights of its person and outlives this link",
		"ver_token_personal":    "a token has all rights of its person; agents act by their link",
		"gestionar_miembros":    "who belongs to a company is decided by its people",
		"gestionar_roles":       "an agent could widen the rights of whoever it acts for",
		"gestionar_facturacion": "what costs money is signed by a person",
		"aprobar_llamada":       "an approval is a person's yes to what an agent asks for",
		"ver_secreto":           "it is kept for the person, at the address in the answer",
	}, why); diff != "" {
		t.Error(diff)
	}
	if faults := catalog.Lint(all); len(faults) > 0 {
		t.Error(faults)
	}
}
