package catalogs_test

import (
	"io/fs"
	"testing"

	"github.com/comporta-mcp/comporta/services/catalogs"
	"github.com/comporta-mcp/comporta/services/internal/publicapi"
)

// signingIn is what no agent may do (contract §5), so that no area has it.
var signingIn = publicapi.Under("/account/auth")

func TestEveryPublicOperationIsInOneArea(t *testing.T) {
	public := publicapi.Public(t, func(string) bool { return true })
	areas := map[string][]string{}
	for area, docs := range catalogs.Documents() {
		if names, err := fs.Glob(docs, "*.yaml"); err != nil || len(names) == 0 {
			continue // the docs area has no platform operations
		}
		for _, op := range publicapi.Operations(t, docs) {
			areas[op.Name()] = append(areas[op.Name()], area)
		}
	}
	served, never := 0, 0
	for _, op := range public {
		switch {
		case signingIn(op.Path):
			never++
		case len(areas[op.Name()]) == 1:
			served++
		default:
			t.Errorf("%s %s (%s) is in the areas %q, want one", op.Method, op.Path, op.Name(), areas[op.Name()])
		}
	}
	t.Logf("%d of %d public operations are tools; the other %d sign people in", served, len(public), never)
}
