package host

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host/internal/toolsearch"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/quota"
	"github.com/comporta-mcp/comporta/pkg/say"
	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

// Gate is one area's door, an http.Handler. Make it with New.
type Gate struct {
	area     Area
	cfg      Config
	public   *url.URL // cfg.PublicURL without a slash at its end
	wiring   Wiring
	maxBody  int64 // of a request, in bytes
	readUpTo int64 // of a call that sends bytes, where a tool does

	catalog     *catalog.Catalog
	tools       []Tool // all callable ones, by name
	never       []*catalog.Tool
	byName      map[string]Tool
	listsByPath map[string]*catalog.Tool
	words       *toolsearch.Index // of the tools that buscar_herramientas knows
	resources   []Resource        // the area's own
	templates   []Template
	profiles    map[string]*profile
	chain       call.Handler

	limits     map[string]quota.Limit
	neighbours *neighbours
	proxies    identity.Proxies
	pings      *pings
	inflight   inflight
	languages  *say.Languages
	masker     *mask.Masker
	relay      *relay
	metrics    *metrics
	pages      pages
}

// defaultMaxBody is contract §2's limit, in bytes.
const defaultMaxBody = 4 << 20

// New makes the door of an area. cfg.PublicURL must be set.
func New(area Area, cfg Config, w Wiring) (*Gate, error) {
	public, err := url.Parse(strings.TrimSuffix(cfg.PublicURL, "/"))
	if err != nil || public.Host == "" {
		return nil, fmt.Errorf("the public URL %q is no URL", cfg.PublicURL)
	}
	if w.HTTP == nil {
		w.HTTP = &http.Client{Timeout: 5 * time.Second}
	}
	g := &Gate{
		area:    area,
		cfg:     cfg,
		public:  public,
		wiring:  w,
		maxBody: cmp.Or(area.MaxBody, defaultMaxBody),
		relay:   newRelay(cfg, w.HTTP, w.Now),
	}
	for _, step := range []func() error{g.prepare, g.loadTools, g.loadResources, g.arrange, g.lintLists, g.renderPages} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if w.Catalogued != nil {
		w.Catalogued(g.lookUp)
	}
	g.chain = g.newChain(g.execute)
	return g, nil
}

// prepare makes what depends on the configuration alone.
func (g *Gate) prepare() (err error) {
	if g.limits, err = quota.Changed(quota.Defaults(), g.cfg.Limits); err != nil {
		return err
	}
	g.pings = newPings(g.limits[quota.Ping], g.wiring.Now)
	if g.neighbours, err = newNeighbours(g.cfg, g.public); err != nil {
		return err
	}
	if g.proxies, err = identity.ParseProxies(g.cfg.TrustedProxies); err != nil {
		return fmt.Errorf("trusted proxies: %w", err)
	}
	if g.languages, err = say.Load(cmp.Or(g.cfg.Locale, "en")); err != nil {
		return err
	}
	if g.masker, err = mask.New(); err != nil {
		return err
	}
	if g.metrics, err = newMetrics(g.area.Name, g.wiring.Metrics); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	return nil
}

// loadTools makes the one list of tools that everything else walks: those of the
// documents, the area's own, and the common ones.
func (g *Gate) loadTools() error {
	loaded, err := g.loadCatalog()
	if err != nil {
		return err
	}
	g.catalog = loaded
	for _, t := range loaded.Tools() {
		g.tools = append(g.tools, Tool{Tool: t})
	}
	outside, err := catalog.Outside()
	if err != nil {
		return err
	}
	g.never = slices.Concat(loaded.Never(), outside)
	if g.area.Tools != nil {
		own, err := g.area.Tools(g.deps(loaded))
		if err != nil {
			return fmt.Errorf("make the own tools of %s: %w", g.area.Name, err)
		}
		g.tools = append(g.tools, own...)
	}
	common, err := g.commonTools()
	if err != nil {
		return err
	}
	g.tools = append(g.tools, common...)
	g.tellLimits()
	if err := g.indexWords(); err != nil {
		return err
	}
	lite, err := g.liteTools()
	if err != nil {
		return err
	}
	g.tools = append(g.tools, lite...)
	return g.index()
}

func (g *Gate) loadCatalog() (*catalog.Catalog, error) {
	if g.area.Documents == nil {
		return &catalog.Catalog{}, nil
	}
	if names, err := fs.Glob(g.area.Documents, "*.yaml"); err == nil && len(names) == 0 {
		return &catalog.Catalog{}, nil // an area that has no documents yet
	}
	names := make([]string, 0, len(g.area.Profiles))
	for _, p := range g.area.Profiles {
		names = append(names, p.Name)
	}
	policy, err := g.policy()
	if err != nil {
		return nil, err
	}
	loaded, err := catalog.Load(g.area.Documents, catalog.Options{Area: g.area.Name, Profiles: names, Policy: policy, Strict: g.cfg.Strict})
	if err != nil {
		return nil, fmt.Errorf("load the documents of %s: %w", g.area.Name, err)
	}
	return loaded, nil
}

// policy is the area's own rows, those of the file, and those of the settings: the
// last one that speaks of something counts.
func (g *Gate) policy() ([]catalog.PolicyRow, error) {
	if g.cfg.PolicyFile == "" {
		return slices.Concat(g.area.Policy, g.cfg.Policy), nil
	}
	text, err := os.ReadFile(g.cfg.PolicyFile)
	if err != nil {
		return nil, fmt.Errorf("policy-file: %w", err)
	}
	rows, err := catalog.ParsePolicy(g.cfg.PolicyFile, text)
	if err != nil {
		return nil, err
	}
	return slices.Concat(g.area.Policy, rows, g.cfg.Policy), nil
}

func (g *Gate) loadResources() (err error) {
	if g.area.Templates != nil {
		g.templates = g.area.Templates(g.deps(g.catalog))
	}
	if g.area.Resources == nil {
		return nil
	}
	if g.resources, err = g.area.Resources(g.deps(g.catalog)); err != nil {
		return fmt.Errorf("make the own resources of %s: %w", g.area.Name, err)
	}
	return nil
}

// tellLimits ends a tool's description with its own lower limits (contract §5), as
// they are on this host.
func (g *Gate) tellLimits() {
	for i, t := range g.tools {
		for _, name := range t.Limits {
			limit, known := g.limits[name]
			if !known {
				continue
			}
			told := *g.tools[i].Tool
			told.Description = strings.TrimSpace(told.Description + " " + limit.String())
			g.tools[i].Tool = &told
		}
	}
}

// index orders the tools and checks what no single maker of tools can.
func (g *Gate) index() error {
	slices.SortFunc(g.tools, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	g.byName = make(map[string]Tool, len(g.tools))
	all := make([]*catalog.Tool, 0, len(g.tools))
	for _, t := range g.tools {
		if _, twice := g.byName[t.Name]; twice {
			return fmt.Errorf("area %s has two tools %s", g.area.Name, t.Name)
		}
		if t.Run == nil && t.Binding == nil {
			return fmt.Errorf("tool %s can do nothing: it has neither a binding nor a handler", t.Name)
		}
		g.byName[t.Name] = t
		all = append(all, t.Tool)
	}
	g.listsByPath = listsByPath(g.tools)
	g.readUpTo = g.bodyLimit()
	if faults := catalog.Lint(append(all, g.never...)); len(faults) > 0 {
		return fmt.Errorf("tools that clients would refuse: %w", errors.Join(faults...))
	}
	return nil
}

// lookUp finds a tool for whoever acts on behalf of another one; that may be one
// which no agent calls.
func (g *Gate) lookUp(name string) (*catalog.Tool, bool) {
	if t, ok := g.byName[name]; ok {
		return t.Tool, true
	}
	return g.catalog.Tool(name)
}

func (g *Gate) deps(loaded *catalog.Catalog) Deps {
	return Deps{
		Platform: g.wiring.Platform,
		Catalog:  loaded,
		Audit:    g.wiring.Audit,
		Links:    g.wiring.Links,
		Scheme:   g.cfg.ResourceScheme,
		HTTP:     g.wiring.HTTP,
		Metrics:  g.wiring.Metrics,
		Log:      g.wiring.Log,
		Now:      g.wiring.Now,
		DataDir:  g.cfg.DataDir,
		Objects:  g.wiring.Objects,
	}
}

// at is a path under the public URL.
func (g *Gate) at(path string) string { return g.public.String() + path }

// language is the caller's, as far as we speak it.
func (g *Gate) language(r *http.Request) answer.Language {
	return g.languages.For(r.Header.Get("Accept-Language"))
}

// bare stands for a tool of which nothing is known, where an answer is the host's own.
var bare = &catalog.Tool{}
