package catalogs_test

import (
	"io/fs"
	"testing"

	"github.com/comporta-mcp/comporta/services/catalogs"
)

func TestEveryAreaCanBeRead(t *testing.T) {
	for area, docs := range catalogs.Documents() {
		if _, err := fs.ReadDir(docs, "."); err != nil {
			t.Errorf("%s: %v", area, err)
		}
	}
	if names, err := fs.Glob(catalogs.Documents()["build"], "*.yaml"); err != nil || len(names) < 3 {
		t.Errorf("build has %v (%v), want its three documents", names, err)
	}
}
