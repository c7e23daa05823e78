package oauth

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func TestASignInThatOthersCouldReadIsClosed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps no such modes")
	}
	p, store := newPlatform(t), Folder(t.TempDir())
	mustEnter(t, client(t, p, Config{Store: store}), p)
	file := store.file(p.URL + "/mcp")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	mustEnter(t, client(t, p, Config{Store: store}), p)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if p.shown != 1 {
		t.Errorf("%d pages", p.shown)
	}
}

// TestALinkInTheFolderIsReplacedNotFollowed: what it points to stays as it was.
func TestALinkInTheFolderIsReplacedNotFollowed(t *testing.T) {
	p, store := newPlatform(t), Folder(t.TempDir())
	elsewhere := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(elsewhere, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, store.file(p.URL+"/mcp")); err != nil {
		if runtime.GOOS != "windows" {
			t.Fatal(err)
		}
		t.Skip("SKIPPED: Windows lets only some people make symbolic links:", err)
	}
	mustEnter(t, client(t, p, Config{Store: store}), p)
	mustEnter(t, client(t, p, Config{Store: store}), p)
	if text, err := os.ReadFile(elsewhere); string(text) != "precious" || p.shown != 1 {
		t.Errorf("the file holds %q (%v) after %d pages", text, err, p.shown)
	}
}

// TestTwoProcessesThatSignInAtOnceBothGetIn, and what they leave is a good sign-in.
func TestTwoProcessesThatSignInAtOnceBothGetIn(t *testing.T) {
	p, store := newPlatform(t), Folder(t.TempDir())
	var wg sync.WaitGroup
	for range 4 {
		c := client(t, p, Config{Store: store})
		wg.Go(func() {
			if status, err := enter(t, c, p); status != 200 || err != nil {
				t.Errorf("status %d, error %v", status, err)
			}
		})
	}
	wg.Wait()
	shown := p.shown
	mustEnter(t, client(t, p, Config{Store: store}), p)
	if p.shown != shown {
		t.Error("the next process has to sign in again")
	}
}
