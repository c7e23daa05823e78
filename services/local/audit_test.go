package local

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/services/internal/auditcmd"
)

// audited runs an audit command on the folder.
func audited(t *testing.T, cfg Config, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var out bytes.Buffer
	err := Audit(ctx, cfg, args, &out)
	return out.String(), err
}

func TestTheAuditOfARunCanBeProven(t *testing.T) {
	cfg := fresh(t)
	e := launch(t, cfg, hurried)
	id := e.app("proven")
	for range 3 {
		e.nameOf(id)
	}
	out, err := audited(t, cfg, "verify")
	if err != nil || !strings.Contains(out, "none is missing or changed") {
		t.Errorf("while it runs: %v\n%s", err, out)
	}
	e.end()
	heads, err := audited(t, cfg, "heads")
	if err != nil || !strings.Contains(heads, `"writer":"build`) {
		t.Fatalf("heads: %v\n%s", err, heads)
	}
	kept := filepath.Join(t.TempDir(), "heads")
	if err := os.WriteFile(kept, []byte(heads), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err = audited(t, cfg, "verify", "--against", kept)
	if err != nil || !strings.Contains(out, "none is missing or changed") || strings.Contains(out, "doubt") {
		t.Errorf("when it has stopped: %v\n%s", err, out)
	}
	// A chain that was longer when its head was kept.
	longer := strings.Replace(heads, `"sequence":"`, `"sequence":"9`, 1)
	if err := os.WriteFile(kept, []byte(longer), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err = audited(t, cfg, "verify", "--against", kept)
	if !errors.Is(err, auditcmd.ErrFound) || !strings.Contains(out, "its end was cut off") {
		t.Errorf("against a longer chain: %v\n%s", err, out)
	}
	for _, bad := range [][]string{nil, {"erase"}, {"verify", "now"}, {"verify", "--against", filepath.Join(kept, "no")}} {
		if _, err := audited(t, cfg, bad...); err == nil {
			t.Errorf("audit %v was carried out", bad)
		}
	}
}
