package catalog_test

import (
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// counted counts how often each file is opened.
type counted struct {
	fs.FS
	mu     sync.Mutex
	opened map[string]int
}

func (c *counted) Open(name string) (fs.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened[name]++
	return c.FS.Open(name)
}

func TestKeptDocumentsAreReadOnceHoweverManyLoadThem(t *testing.T) {
	files := &counted{FS: os.DirFS("testdata/museum"), opened: map[string]int{}}
	kept := catalog.Keep(files)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := catalog.Load(kept, catalog.Options{Area: "museum"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	yaml := 0
	for name, times := range files.opened {
		if strings.HasSuffix(name, ".yaml") {
			yaml++
			if times != 1 {
				t.Errorf("%s was opened %d times", name, times)
			}
		}
	}
	if yaml == 0 {
		t.Error("nothing was read")
	}
}

func TestWhoLoadsKeptDocumentsChangesNobodyElsesTools(t *testing.T) {
	listed := func(c *catalog.Catalog) (out []string) {
		for _, tool := range c.Tools() {
			out = append(out, tool.Name+" "+tool.Description+" "+string(tool.Input.Listed))
		}
		return out
	}
	want := listed(museum(t, catalog.Options{}))
	kept := catalog.Keep(os.DirFS("testdata/museum"))
	for _, o := range []catalog.Options{
		{Area: "museum", Strict: true},
		{Area: "museum", Policy: []catalog.PolicyRow{{Tool: "delete_hall", Never: "halls are closed by the board"}, {Tool: "create_exhibit", Approval: "human"}}},
	} {
		if _, err := catalog.Load(kept, o); err != nil {
			t.Fatal(err)
		}
	}
	again, err := catalog.Load(kept, catalog.Options{Area: "museum"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, listed(again)); diff != "" {
		t.Error(diff)
	}
}

func TestAFaultOfKeptDocumentsIsToldToEverybody(t *testing.T) {
	kept := catalog.Keep(fstest.MapFS{"doc.yaml": {Data: []byte("openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {}\nx-mcp: {server: theirs}\n")}})
	var told []string
	for range 2 {
		_, err := catalog.Load(kept, catalog.Options{})
		if err == nil {
			t.Fatal("the fault is not told")
		}
		told = append(told, err.Error())
	}
	if told[0] != told[1] || !strings.Contains(told[0], "{server: own}") {
		t.Error(told)
	}
}
