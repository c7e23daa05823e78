package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/comporta-mcp/comporta/services/docs/internal/page"
	"github.com/comporta-mcp/comporta/services/docs/internal/reader"
)

// tree is the files of a source, at one moment.
type tree interface {
	// Each yields the files under folder that want wants, in order. Paths are below folder.
	Each(ctx context.Context, folder string, want func(name string) bool, yield func(name string, data []byte) error) error
}

// Bounds of one source: more is a mistake in the globs, and would eat the memory.
const (
	maxFiles = 50_000
	maxBytes = 512 << 20
)

// Pages is what a source had.
type Pages struct {
	// Revision is the commit, or a hash of what was read.
	Revision string
	Pages    []page.Page
	// Skipped are files that could not be read, with the reason; the rest counts.
	Skipped []string
}

// read makes pages of a tree's files.
func (s Source) read(ctx context.Context, t tree) (Pages, error) {
	var out Pages
	hash := sha256.New()
	files, size := 0, 0
	err := t.Each(ctx, s.Folder, s.wants, func(name string, data []byte) error {
		files++
		size += len(data)
		if files > maxFiles || size > maxBytes {
			return fmt.Errorf("more than %d files or %d bytes: narrow include", maxFiles, maxBytes)
		}
		fmt.Fprintf(hash, "%s %d\n", name, len(data))
		hash.Write(data)
		pages, err := reader.Read(s.reader(name), name, s.lang(), data)
		if err != nil {
			out.Skipped = append(out.Skipped, err.Error())
			return nil
		}
		for i := range pages {
			pages[i].Weight = s.WeightOf(name)
			pages[i].Source = s.address(&pages[i])
		}
		out.Pages = append(out.Pages, pages...)
		return nil
	})
	if err != nil {
		return Pages{}, err
	}
	if len(out.Pages) == 0 {
		return Pages{}, noPages(files, out.Skipped)
	}
	explainCode(out.Pages)
	out.Revision = hex.EncodeToString(hash.Sum(nil)[:12])
	return out, nil
}

// noPages says why a source has none; the first reasons stand for the others.
func noPages(files int, skipped []string) error {
	text := fmt.Sprintf("no file of the source could be read (%d were looked at)", files)
	if len(skipped) == 0 {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %s", text, strings.Join(skipped[:min(3, len(skipped))], "; "))
}

func (s Source) wants(name string) bool {
	included := len(s.Include) == 0
	for _, g := range s.Include {
		included = included || doublestar.MatchUnvalidated(g, name)
	}
	for _, g := range s.Exclude {
		included = included && !doublestar.MatchUnvalidated(g, name)
	}
	return included
}

func (s Source) reader(name string) reader.Kind {
	if s.Reader != "" {
		return s.Reader
	}
	return reader.KindOf(name)
}

func (s Source) lang() string {
	if s.Lang == "" {
		return "en"
	}
	return s.Lang
}

// WeightOf is the weight of a page in the file name.
func (s Source) WeightOf(name string) float64 {
	for _, w := range s.Weights {
		if doublestar.MatchUnvalidated(w.Match, name) {
			return w.Weight
		}
	}
	return 1
}

// address fills the URL in, all but the anchor, which each passage has.
func (s Source) address(p *page.Page) string {
	permalink := p.Permalink
	if permalink == "" {
		permalink = "/" + strings.TrimSuffix(p.Path, path.Ext(p.Path))
	}
	return strings.NewReplacer("{path}", p.Path, "{permalink}", permalink, "{method}", p.Method, "{route}", p.Route,
		"{operation}", p.Operation()).Replace(s.URL)
}

// explainCode gives a source file the title of the README above it: what code is
// for stands there and not in the code.
func explainCode(pages []page.Page) {
	readmes := map[string]*page.Page{}
	for i := range pages {
		if base := path.Base(pages[i].Path); strings.EqualFold(strings.TrimSuffix(base, path.Ext(base)), "readme") {
			readmes[path.Dir(pages[i].Path)] = &pages[i]
		}
	}
	for i := range pages {
		p := &pages[i]
		if reader.KindOf(p.Path) != reader.Code || p.Route != "" {
			continue
		}
		for dir := path.Dir(p.Path); dir != "."; dir = path.Dir(dir) {
			if readme := readmes[dir]; readme != nil {
				p.Keywords = append(p.Keywords, readme.Title)
				break
			}
		}
	}
}

// fsTree is a tree of a file system.
type fsTree struct{ fs.FS }

func (t fsTree) Each(ctx context.Context, folder string, want func(string) bool, yield func(string, []byte) error) error {
	root := path.Clean("./" + folder)
	return fs.WalkDir(t.FS, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		below := name
		if root != "." {
			below = strings.TrimPrefix(strings.TrimPrefix(name, root), "/")
		}
		if !d.Type().IsRegular() || !want(below) {
			return nil
		}
		data, err := readBounded(t.FS, name)
		if err != nil {
			return err
		}
		return yield(below, data)
	})
}

// readBounded reads a byte more than reader takes, and not gigabytes that it will refuse.
func readBounded(files fs.FS, name string) ([]byte, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, reader.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}
