package connect

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func cursor(t *testing.T) Client {
	t.Helper()
	c, err := Find("cursor")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRunsAtTheSameTimeLoseNothing: no entry, and no copy of what was before them.
func TestRunsAtTheSameTimeLoseNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcp.json")
	original := []byte(`{"mcpServers":{"mine":{"command":"x"}}}`)
	if err := os.WriteFile(file, original, 0o640); err != nil {
		t.Fatal(err)
	}
	c, now, backups := cursor(t), time.Now(), sync.Map{}
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			backup, err := c.Write(file, []Server{{Name: fmt.Sprintf("s%d", i), URL: "https://x"}}, now)
			if err != nil {
				t.Error(err)
			}
			text, err := os.ReadFile(backup)
			if _, twice := backups.LoadOrStore(backup, string(text)); twice || err != nil {
				t.Errorf("copy %s: twice %v, %v", backup, twice, err)
			}
		})
	}
	wg.Wait()
	text, err := os.ReadFile(file)
	if n := strings.Count(string(text), "https://x"); n != 10 || err != nil {
		t.Errorf("%d of 10 entries, %v:\n%s", n, err, text)
	}
	if first, _ := backups.Load(file + now.Format(".20060102-150405.bak")); first != string(original) {
		t.Errorf("the first copy is %s", first)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(file + ".part"); left != nil {
		t.Error("left:", left)
	}
}

func TestALinkToAFileThatIsNotThereYetStaysALink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "mcp.json")
	if err := os.Symlink("dotfiles.json", link); err != nil {
		if runtime.GOOS != "windows" {
			t.Fatal(err)
		}
		t.Skip("SKIPPED: Windows lets only some people make symbolic links:", err)
	}
	if _, err := cursor(t).Write(link, []Server{server}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(link); target != "dotfiles.json" {
		t.Errorf("target %q, %v", target, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "dotfiles.json")); err != nil {
		t.Error(err)
	}
}
