package observe_test

import (
	"slices"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/internal/areatest"
	"github.com/comporta-mcp/comporta/services/observe"
)

func TestTheArea(t *testing.T) {
	area := observe.Area
	area.Profiles = slices.DeleteFunc(slices.Clone(area.Profiles), func(p host.Profile) bool {
		return p.Name == "graphql" || p.Name == "audit" // no document has anything for them
	})
	areatest.Check(t, area, 37, // the operations of the two documents
		"describe_graphql_schema", "run_graphql_query", "create_graphql_query",
		"listar_auditoria", "listar_mi_auditoria", "listar_enlaces", "revocar_enlace")
}
