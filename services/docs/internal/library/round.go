package library

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
	"github.com/comporta-mcp/comporta/services/docs/internal/embedding"
	"github.com/comporta-mcp/comporta/services/docs/internal/index"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
	"github.com/comporta-mcp/comporta/services/docs/internal/store"
)

// look is how often the store is looked at for pages of another replica, retry
// how soon a source that failed is asked again.
const (
	look  = time.Minute
	retry = 10 * time.Minute
)

// Run takes what is stored, then keeps sources and store in step until ctx ends.
func (l *Library) Run(ctx context.Context) {
	if err := l.Take(ctx); err != nil && !errors.Is(err, store.ErrNone) {
		l.o.Log.Warn("the stored pages could not be taken", "error", err)
	}
	for ctx.Err() == nil {
		if l.due() {
			if err := l.Refresh(ctx); ctx.Err() == nil {
				l.tell(err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(look):
		}
		if err := l.Take(ctx); err != nil && !errors.Is(err, store.ErrNone) && ctx.Err() == nil {
			l.o.Log.Warn("the stored pages could not be taken", "error", err)
		}
	}
}

// tell logs what a round came to, once until it comes to something else: without
// a network every round fails in the same way.
func (l *Library) tell(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	before := l.told
	l.told = text
	switch {
	case text == before:
		l.o.Log.Debug("the sources were asked", "error", text)
	case err == nil:
		l.o.Log.Info("all pages are up to date again")
	case l.onlyUnreachable():
		l.o.Log.Info("some sources cannot be reached: what was read before is served, the search tools name what is missing, and they are asked again later; search.offline=true asks no host", "error", text)
	default:
		l.o.Log.Warn("not all pages are up to date", "error", text)
	}
}

// onlyUnreachable says that nothing failed but hosts that are not there.
func (l *Library) onlyUnreachable() bool {
	l.round.Lock()
	defer l.round.Unlock()
	some := false
	for _, err := range l.faults {
		if err != nil && !errors.Is(err, corpus.ErrUnreachable) {
			return false
		}
		some = some || err != nil
	}
	return some
}

// due says that the sources are to be asked. Another replica may have done so:
// Take moved the time, then.
func (l *Library) due() bool {
	l.round.Lock()
	defer l.round.Unlock()
	for _, c := range l.o.Collections {
		for _, s := range c.Sources {
			_, asked := l.faults[s.Name]
			if _, stored := l.sources[s.Name]; !stored && !asked {
				return true
			}
		}
	}
	wait := l.o.Every
	if wait > retry && len(l.Faults()) > 0 {
		wait = retry
	}
	return wait > 0 && l.o.Now().Sub(l.checked) >= wait
}

// Take shows the stored pages if they are others than those that are shown.
func (l *Library) Take(ctx context.Context) error {
	l.round.Lock()
	defer l.round.Unlock()
	revision, err := l.o.Store.Revision(ctx)
	if err != nil || revision == l.revision {
		return err
	}
	data, revision, err := l.o.Store.Load(ctx)
	if err != nil {
		return err
	}
	s, err := unpack(data)
	if err != nil {
		l.revision = revision // not again
		return err
	}
	changed := map[string]bool{}
	for name, source := range s.Sources {
		changed[name] = l.sources[name].Revision != source.Revision
		l.sources[name] = source
	}
	l.revision, l.checked = revision, s.Checked
	for _, c := range l.o.Collections {
		if l.complete(c) {
			l.build(ctx, c, changed)
		}
	}
	return nil
}

// complete says that the stored pages have something of the collection.
func (l *Library) complete(c corpus.Collection) bool {
	for _, s := range c.Sources {
		if len(l.sources[s.Name].Pages) > 0 {
			return true
		}
	}
	return false
}

// Refresh asks every source, shows each collection that changed as soon as it is
// made, and stores the pages. The error names every source that failed.
func (l *Library) Refresh(ctx context.Context) error {
	l.round.Lock()
	defer l.round.Unlock()
	fetcher := l.o.Fetcher()
	any := false
	for _, c := range l.o.Collections {
		changed := map[string]bool{}
		for _, s := range c.Sources {
			changed[s.Name] = l.fetch(ctx, fetcher, s)
			any = any || changed[s.Name]
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		l.build(ctx, c, changed)
	}
	l.checked = l.o.Now()
	l.tellFaults()
	return errors.Join(l.failed(), l.save(ctx, any))
}

// fetch reads a source and says whether its pages are others than before.
func (l *Library) fetch(ctx context.Context, f *corpus.Fetcher, s corpus.Source) bool {
	p, err := f.Fetch(ctx, s)
	l.faults[s.Name] = err
	before := l.sources[s.Name]
	if len(p.Pages) == 0 {
		l.o.Metrics.Source(s.Name, err == nil, len(before.Pages))
		return false
	}
	for _, skipped := range p.Skipped {
		l.o.Log.Warn("a file was skipped", "source", s.Name, "error", skipped)
	}
	l.o.Metrics.Source(s.Name, err == nil, len(p.Pages))
	l.sources[s.Name] = savedSource{p.Revision, p.Pages}
	return p.Revision != before.Revision
}

// failed names the sources that failed, and one reason: why each did stands in Faults.
func (l *Library) failed() error {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(l.faults)) {
		if l.faults[name] != nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	one := l.faults[names[0]] // always the same, so that the same failure has the same text
	return fmt.Errorf("%d sources failed (%s), such as: %w", len(names), strings.Join(names, ", "), one)
}

func (l *Library) tellFaults() {
	told := map[string]string{}
	for name, err := range l.faults {
		if err != nil {
			told[name] = err.Error()
		}
	}
	l.faulty.Store(&told)
}

// save stores the pages. A failure is told and tried again at the next round.
func (l *Library) save(ctx context.Context, changed bool) error {
	s := saved{Format: format, Checked: l.checked, Sources: maps.Clone(l.sources)}
	if !changed && l.revision != "" && l.o.Every == 0 {
		return nil
	}
	data, err := s.pack()
	if err != nil {
		return err
	}
	if l.revision, err = l.o.Store.Save(ctx, data); err != nil {
		return fmt.Errorf("store the pages: %w", err)
	}
	return nil
}

// build makes a collection's index where one of its sources changed, or where its
// faults did.
func (l *Library) build(ctx context.Context, c corpus.Collection, changed map[string]bool) {
	next := &Collection{Missing: map[string]string{}, Old: map[string]string{}}
	rebuild := false
	for _, s := range c.Sources {
		rebuild = rebuild || changed[s.Name]
		pages, err := l.sources[s.Name].Pages, l.faults[s.Name]
		next.Pages = append(next.Pages, pages...)
		switch {
		case len(pages) == 0:
			next.Missing[s.Name] = reason(err)
		case err != nil:
			next.Old[s.Name] = reason(err)
		}
	}
	if before, ok := l.Collection(c.Tool); ok && !rebuild {
		next.Index, next.Vectors, next.Pages = before.Index, before.Vectors, before.Pages
		l.show(c.Tool, next)
		return
	}
	start := l.o.Now()
	next.Index = index.New(next.Pages, l.o.Words, index.Options{Fold: c.Fold})
	next.Vectors = l.vectors(ctx, c.Tool, next.Pages)
	l.show(c.Tool, next)
	l.o.Metrics.Built(c.Tool, l.o.Now().Sub(start), len(next.Pages))
}

// vectors add the search by meaning; without them a collection is searched by words.
func (l *Library) vectors(ctx context.Context, tool string, pages []page.Page) *embedding.Vectors {
	if l.o.Vectors == nil || len(pages) == 0 {
		return nil
	}
	v, err := l.o.Vectors(ctx, tool, pages)
	if err != nil {
		l.o.Log.Warn("a collection is searched by words alone", "tool", tool, "error", err)
		return nil
	}
	return v
}

// reason is what a caller may read of an error: addresses of sources are public,
// the folders of this machine are not.
func reason(err error) string {
	if err == nil {
		return "it was not read yet"
	}
	return "it could not be fetched"
}
