package storage_test

import (
	"slices"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/internal/areatest"
	"github.com/comporta-mcp/comporta/services/storage"
)

func TestTheArea(t *testing.T) {
	area := storage.Area
	area.Profiles = slices.DeleteFunc(slices.Clone(area.Profiles), func(p host.Profile) bool {
		return p.Name == "kv" // the public document has nothing for it
	})
	areatest.Check(t, area, 16) // the operations of the two documents
}
