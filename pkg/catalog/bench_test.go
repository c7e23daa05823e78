package catalog_test

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// BenchmarkLoad is a start of a host: the whole public document, or the small one.
func BenchmarkLoad(b *testing.B) {
	document, _ := overlaid(b, publicDocument(b))
	fsys := fstest.MapFS{"platform.yaml": {Data: document}}
	for b.Loop() {
		if _, err := catalog.Load(fsys, catalog.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCheck is what one call pays.
func BenchmarkCheck(b *testing.B) {
	create := tool(b, museum(b, catalog.Options{}), "create_exhibit")
	args := map[string]any{"hall_id": json.Number("7"), "name": "Clock", "frame": map[string]any{"metal": "tin", "width": json.Number("2")}}
	b.ReportAllocs()
	for b.Loop() {
		if _, faults := create.Check(args); len(faults) > 0 {
			b.Fatal(faults)
		}
	}
}
