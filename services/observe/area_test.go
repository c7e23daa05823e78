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
		return p.Name != "streams" // the public document has nothing for the others
	})
	areatest.Check(t, area, 13) // the operations of the document
}
