package child

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestACommandIsFoundOnPathElseAsAFile(t *testing.T) {
	bin, here := t.TempDir(), t.TempDir()
	for _, file := range []string{filepath.Join(bin, "tool"), filepath.Join(here, "script")} {
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=" + bin}
	for name, c := range map[string]struct {
		command, want string
	}{
		"on the child's PATH":        {"tool", filepath.Join(bin, "tool")},
		"a file of the folder":       {"script", filepath.Join(here, "script")},
		"a path in the folder":       {"./script", filepath.Join(here, "script")},
		"an absolute path":           {filepath.Join(here, "script"), filepath.Join(here, "script")},
		"nothing by that name":       {"nothing", ""},
		"no command at all":          {"", ""},
		"not on the parent's PATH":   {"ls", ""},
		"a folder is no command":     {here, ""},
		"a path that does not exist": {"./none", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := lookup(c.command, here, env)
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("found %q, error %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestTheEnvironmentIsShort(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the list is longer on Windows")
	}
	parent := []string{"PATH=/bin", "HOME=/h", "LC_ALL=C", "XDG_RUNTIME_DIR=/r", "API_KEY=x", "LANG=pt_BR", "PATHS=no", "USER=u"}
	got := Environment(parent, map[string]string{"TOKEN": "t", "HOME": "/other"})
	want := []string{"PATH=/bin", "HOME=/h", "LC_ALL=C", "XDG_RUNTIME_DIR=/r", "LANG=pt_BR", "USER=u", "HOME=/other", "TOKEN=t"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestStderrKeepsItsEnd(t *testing.T) {
	var r ring
	r.fill(strings.NewReader(strings.Repeat("line\n\n", 100) + strings.Repeat("ç", 10_000) + "\nlast"))
	lines := r.last()
	if len(lines) != keptLines || lines[keptLines-1] != "last" || len([]rune(lines[keptLines-2])) != keptLength+1 {
		t.Errorf("%d lines, %.20q", len(lines), lines[len(lines)-1])
	}
}
