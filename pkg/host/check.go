package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/comporta-mcp/comporta/pkg/catalog/lint"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/identity"
)

// Unwired makes an area's door without anything behind it: it answers what needs
// no caller, /tools.json and the pages, and is there to be looked at. An error is
// what would keep the host from starting.
func Unwired(area Area, cfg Config) (*Gate, error) {
	cfg.PublicURL = cmp.Or(cfg.PublicURL, "http://localhost")
	return New(area, cfg, Wiring{
		Stages:  func(guard.Namer) Stages { return Stages{} },
		Refused: func(context.Context, Refusal) {},
		Others:  func(context.Context, string) time.Duration { return 0 },
		Metrics: prometheus.NewRegistry(),
		Tracer:  noop.NewTracerProvider().Tracer(""),
		Log:     slog.New(slog.DiscardHandler),
		Now:     time.Now,
	})
}

// Check loads an area's documents as Run would and writes what there is: every
// list with its tools and what clients dislike about them. What they refuse, or
// what is wrong in a document, is the error.
func Check(area Area, cfg Config, out io.Writer) error {
	area, _, err := Mounted(area, cfg)
	if err != nil {
		return err
	}
	gate, err := Unwired(area, cfg)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(gate.profiles)) {
		p := gate.profiles[name]
		if _, err := fmt.Fprintf(out, "%s: %d tools\n", p.path, len(p.tools)); err != nil {
			return err
		}
		found, err := gate.lintList(p)
		if err != nil {
			return err
		}
		for _, f := range found {
			if _, err := fmt.Fprintf(out, "  warning: %v\n", f); err != nil {
				return err
			}
		}
	}
	return nil
}

// lintLists refuses lists that some client would refuse.
func (g *Gate) lintLists() error {
	var faults []error
	for _, p := range g.profiles {
		found, err := g.lintList(p)
		if err != nil {
			return err
		}
		faults = append(faults, lint.Errors(found)...)
	}
	if len(faults) > 0 {
		return fmt.Errorf("tools that clients would refuse: %w", errors.Join(faults...))
	}
	return nil
}

// lintList checks what tools/list serves to who sees everything.
func (g *Gate) lintList(p *profile) ([]lint.Finding, error) {
	everything := &identity.Principal{Person: identity.Person{SystemAdmin: true}, Companies: make([]identity.Company, 2)}
	served, err := g.buildList(p, everything, legacy)
	if err != nil {
		return nil, err
	}
	list := lint.List{Server: g.area.Name + "-mcp"}
	if err := json.Unmarshal(served, &list); err != nil {
		return nil, fmt.Errorf("read the tools of %s: %w", p.path, err)
	}
	return lint.Check(list), nil
}
