package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/services/docs"
)

// indexed runs `docs-mcp index` on a folder with one page.
func indexed(t *testing.T, data, sources string) error {
	t.Helper()
	dir := t.TempDir()
	write(t, dir+"/sea/tides.md", "# Tides\nThe moon pulls.")
	write(t, dir+"/corpora.yaml", "collections: [{tool: search_sea, title: Sea, description: d, sources: ["+strings.ReplaceAll(sources, "%DIR%", dir)+"]}]")
	cfg := docs.IndexDefaults()
	cfg.DataDir, cfg.Search.Corpora = data, dir+"/corpora.yaml"
	return docs.Index(t.Context(), cfg)
}

func TestIndexStoresWhatItCouldReadAndNamesWhatFailed(t *testing.T) {
	data := t.TempDir()
	if err := indexed(t, data, "{name: sea, path: %DIR%/sea}"); err != nil {
		t.Fatal(err)
	}
	stored := filepath.Join(data, "search", "pages.json.gz")
	if info, err := os.Stat(stored); err != nil || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if err := indexed(t, data, "{name: sea, path: %DIR%/sea}, {name: far, path: %DIR%/nowhere}"); err == nil || !strings.Contains(err.Error(), "far") {
		t.Errorf("the error is %v, want the name of the source that failed", err)
	}
	if err := indexed(t, t.TempDir(), "{name: far, path: %DIR%/nowhere}"); err == nil || !strings.Contains(err.Error(), "no pages") {
		t.Errorf("without any page the error is %v", err)
	}
}

func TestIndexNeedsNATSOnlyToShare(t *testing.T) {
	cfg := docs.IndexDefaults()
	cfg.NATS.URL = ""
	if err := cfg.Validate(); err != nil {
		t.Errorf("without search.share: %v", err)
	}
	cfg.Search.Share = true
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "search.share") {
		t.Errorf("with search.share: %v", err)
	}
}
