package corpus_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
	"github.com/comporta-mcp/comporta/services/docs/internal/reader"
)

func TestTheShippedFileNamesTheSixCorporaAndOurOwn(t *testing.T) {
	c, err := corpus.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	var tools []string
	for _, col := range c.Collections {
		tools = append(tools, col.Tool)
	}
	want := "search_azion_docs_and_site search_azion_code_samples search_azion_cli_commands search_azion_api_v3_commands search_azion_api_v4_commands search_azion_terraform search_comporta_docs"
	if got := strings.Join(tools, " "); got != want {
		t.Errorf("tools %s", got)
	}
}

func TestFaultsOfAFileAreToldAtOnce(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"nothing", "", "the file is empty"},
		{"an unknown key", "collections: []\ncolour: red", "colour"},
		{"no collections", "collections: []", "no collections"},
		{"a tool name that clients refuse", "collections: [{tool: Search!, title: t, description: d, sources: [{name: a, path: b}]}]", "the name must be"},
		{"two places", "collections: [{tool: a, title: t, description: d, sources: [{name: a, path: b, builtin: true}]}]", "exactly one"},
		{"credentials in a URL", "collections: [{tool: a, title: t, description: d, sources: [{name: a, git: 'https://me:secret@example.com/x'}]}]", "without credentials"},
		{"a reader that is not there", "collections: [{tool: a, title: t, description: d, sources: [{name: a, path: b, reader: pdf}]}]", "pdf"},
		{"a language that no rules are here for", "collections: [{tool: a, title: t, description: d, sources: [{name: a, path: b, lang: fr}]}]", "one of en, pt, es, with or without a region (pt-br), not \"fr\""},
		{"a glob that is none", "collections: [{tool: a, title: t, description: d, sources: [{name: a, path: b, include: ['[']}]}]", "no glob"},
		{"a weight out of range", "collections: [{tool: a, title: t, description: d, sources: [{name: a, path: b, weights: [{match: '*', weight: 0}]}]}]", "weight"},
		{"one name twice", "collections: [{tool: a, title: t, description: d, sources: [{name: a, path: b}, {name: a, path: c}]}]", "name of its own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := corpus.Parse([]byte(c.yaml)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestDatedContractsWeighLessInEveryLanguage(t *testing.T) {
	c, err := corpus.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Collections[0].Sources {
		for _, name := range []string{"pages/agreements/sla/sla.mdx", "pages/contratos/sla/sla.mdx"} {
			if w := s.WeightOf(name); w >= 1 {
				t.Errorf("%s: %s weighs %v", s.Name, name, w)
			}
		}
		if w := s.WeightOf("pages/guides/cache.mdx"); w != 1 {
			t.Errorf("%s: a guide weighs %v", s.Name, w)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderIsReadByItsGlobs(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/docs/a.md", "# A\ntext")
	write(t, dir+"/docs/old/b.md", "# B\ntext")
	write(t, dir+"/docs/c.png", "x")
	write(t, dir+"/code/x/README.md", "# Delay\ntext")
	write(t, dir+"/code/x/src/main.js", "wait()")
	secret := filepath.Join(t.TempDir(), "secret.md")
	write(t, secret, "# Secret")
	if err := os.Symlink(secret, dir+"/docs/link.md"); err != nil {
		t.Fatal(err)
	}
	p, err := (&corpus.Fetcher{}).Fetch(t.Context(), corpus.Source{Path: dir, Folder: "docs", Include: []string{"**/*.md"},
		URL: "https://example.com/{path}#{anchor}", Weights: []corpus.Weight{{Match: "old/**", Weight: 0.5}}})
	if err != nil || len(p.Pages) != 2 || p.Pages[0].Path != "a.md" || p.Pages[1].Weight != 0.5 || p.Revision == "" {
		t.Fatalf("%v, %+v", err, p)
	}
	if got := p.Pages[0].Address(nil); got != "https://example.com/a.md" {
		t.Errorf("address %q", got)
	}
	code, err := (&corpus.Fetcher{}).Fetch(t.Context(), corpus.Source{Path: dir, Folder: "code"})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range code.Pages {
		if strings.HasSuffix(page.Path, ".js") && strings.Join(page.Keywords, " ") != "Delay" {
			t.Errorf("code does not know the README above it: %v", page.Keywords)
		}
	}
}

func TestASourceWithoutPagesSaysWhy(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/large.md", strings.Repeat("a", reader.MaxFile+1))
	write(t, dir+"/broken.yaml", "paths: [")
	for name, want := range map[string]string{"large.md": "large.md: it has more than", "broken.yaml": "broken.yaml: read the OpenAPI document", "none": "0 were looked at"} {
		t.Run(name, func(t *testing.T) {
			source := corpus.Source{Path: dir, Include: []string{name}}
			if strings.HasSuffix(name, ".yaml") {
				source.Reader = reader.OpenAPI
			}
			if _, err := (&corpus.Fetcher{}).Fetch(t.Context(), source); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

// git runs git, which a developer's machine has (CONTRIBUTING.md).
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestARepositoryIsFetchedAndItsCopyServesWhenItIsGone(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	write(t, dir+"/docs/a.md", "# First\ntext")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "one")
	source := corpus.Source{Name: "a", Git: "file://" + dir, Folder: "docs", Include: []string{"*.md"}}
	fetch := func(offline bool) (corpus.Pages, error) {
		return (&corpus.Fetcher{Cache: cache, Offline: offline}).Fetch(t.Context(), source)
	}
	if _, err := fetch(true); err == nil {
		t.Error("offline, without a copy, there were pages")
	}
	first, err := fetch(false)
	if err != nil || len(first.Pages) != 1 || first.Pages[0].Title != "First" {
		t.Fatalf("%v, %+v", err, first)
	}
	write(t, dir+"/docs/a.md", "# Second\ntext")
	git(t, dir, "commit", "-qam", "two")
	second, err := fetch(false)
	if err != nil || second.Pages[0].Title != "Second" || second.Revision == first.Revision {
		t.Fatalf("%v, %+v", err, second)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if old, err := fetch(false); err == nil || len(old.Pages) != 1 || old.Pages[0].Title != "Second" {
		t.Errorf("the repository is gone: %v, %+v", err, old.Pages)
	}
	if old, err := fetch(true); err != nil || len(old.Pages) != 1 {
		t.Errorf("offline the copy serves: %v", err)
	}
}
