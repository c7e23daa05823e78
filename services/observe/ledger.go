package observe

import (
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/services/catalogs"
	"github.com/comporta-mcp/comporta/services/observe/internal/gql"
)

// ledger is what the tools of links and of the audit share.
type ledger struct {
	host.Deps
	// documented are the tools of every area's documents, read when first needed.
	documented func() []string
}

func newLedger(deps host.Deps) *ledger {
	return &ledger{Deps: deps, documented: sync.OnceValue(func() []string {
		var names []string
		for area, documents := range catalogs.Documents() {
			if files, _ := fs.Glob(documents, "*.yaml"); len(files) == 0 {
				continue // it has tools of its own only
			}
			loaded, err := catalog.Load(documents, catalog.Options{Area: area})
			if err != nil {
				deps.Log.Error("the documents of another area cannot be read", "area", area, "error", err)
				continue
			}
			for _, t := range loaded.Tools() {
				names = append(names, t.Name)
			}
		}
		return names
	})}
}

// unknownTool refuses a filter by a tool that no record names, where there is none of
// that name: it is misspelt. Of a tool that exists there may be no records.
func (l *ledger) unknownTool(name string) *problem.Problem {
	known := slices.Concat(l.Tools(), l.documented())
	if slices.Contains(known, name) {
		return nil
	}
	p := wrongFilter("herramienta", "is no tool, and no record names it")
	if near := gql.Nearest(name, known); len(near) > 0 {
		p.ToDo("Take one of detalle.candidatos, or leave herramienta out.").With("candidatos", near)
	}
	return p
}

// areas and outcomes are the words that the filters area and resultado know.
var (
	areas    = []string{"docs", "build", "secure", "observe", "storage"}
	outcomes = []string{
		"ok", "error", string(problem.NoEncontrado), string(problem.SinPermiso), string(problem.ParametroInvalido), string(problem.Conflicto),
		string(problem.EstadoInvalido), string(problem.LimiteExcedido), string(problem.Interno),
	}
)

// wrongWord refuses a word that no record can have. The outcome of a refused request
// is a sentence, which is taken as it is.
func (f auditFilter) wrongWord() *problem.Problem {
	for _, filter := range []struct {
		name, word string
		allowed    []string
	}{{"area", f.Area, areas}, {"resultado", f.Outcome, outcomes}} {
		if filter.word != "" && !slices.Contains(filter.allowed, filter.word) && !strings.Contains(filter.word, " ") {
			return wrongFilter(filter.name, "must be one of %s", strings.Join(filter.allowed, ", "))
		}
	}
	return nil
}

func wrongFilter(name, format string, args ...any) *problem.Problem {
	what := problem.Sentence{Format: format, Args: args}
	return problem.New(problem.ParametroInvalido, "The argument %s is wrong: %s", name, what).Field(name, what)
}
