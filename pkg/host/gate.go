package host

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
	byHand, err := g.handTools()
	if err != nil {
		return err
	}
	rows, err := g.policy()
	if err != nil {
		return err
	}
	if g.catalog, err = g.loadCatalog(rows, toolNames(byHand)); err != nil {
		return err
	}
	for _, t := range g.catalog.Tools() {
		g.tools = append(g.tools, Tool{Tool: t})
	}
	callable, never, err := g.govern(byHand, rows)
	if err != nil {
		return err
	}
	g.tools = append(g.tools, callable...)
	outside, err := catalog.Outside()
	if err != nil {
		return err
	}
	g.never = slices.Concat(g.catalog.Never(), never, outside)
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

// handTools are the area's own tools and the common ones.
func (g *Gate) handTools() ([]Tool, error) {
	common, err := g.commonTools()
	if err != nil || g.area.Tools == nil {
		return common, err
	}
	own, err := g.area.Tools(g.deps())
	if err != nil {
		return nil, fmt.Errorf("make the own tools of %s: %w", g.area.Name, err)
	}
	return append(own, common...), nil
}

// loadCatalog makes the tools of the documents; others are those which the policy
// may name beside them.
func (g *Gate) loadCatalog(policy []catalog.PolicyRow, others []string) (*catalog.Catalog, error) {
	documents := g.area.Documents
	if documents == nil {
		documents = embed.FS{} // no documents, and the policy is looked at all the same
	}
	names := make([]string, 0, len(g.area.Profiles))
	for _, p := range g.area.Profiles {
		names = append(names, p.Name)
	}
	loaded, err := catalog.Load(documents, catalog.Options{
		Area: g.area.Name, Profiles: names, Policy: policy, Others: others, Strict: g.cfg.Strict,
	})
	if err != nil {
		return nil, fmt.Errorf("load the documents of %s: %w", g.area.Name, err)
	}
	return loaded, nil
}

func (g *Gate) loadResources() (err error) {
	if g.area.Templates != nil {
		g.templates = g.area.Templates(g.deps())
	}
	if g.area.Resources == nil {
		return nil
	}
	if g.resources, err = g.area.Resources(g.deps()); err != nil {
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
	for _, t := range g.tools {
		if _, twice := g.byName[t.Name]; twice {
			return fmt.Errorf("area %s has two tools %s", g.area.Name, t.Name)
		}
		if t.Run == nil && t.Binding == nil {
			return fmt.Errorf("tool %s can do nothing: it has neither a binding nor a handler", t.Name)
		}
		g.byName[t.Name] = t
	}
	g.listsByPath = listsByPath(g.tools)
	g.readUpTo = g.bodyLimit()
	if faults := catalog.Lint(append(catalogued(g.tools), g.never...)); len(faults) > 0 {
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

func (g *Gate) deps() Deps {
	return Deps{
		Platform: g.wiring.Platform,
		Audit:    g.wiring.Audit,
		Links:    g.wiring.Links,
		Scheme:   g.cfg.ResourceScheme,
		HTTP:     g.wiring.HTTP,
		Metrics:  g.wiring.Metrics,
		Log:      g.wiring.Log,
		Now:      g.wiring.Now,
		DataDir:  g.cfg.DataDir,
		Tools:    func() []string { return toolNames(g.tools) },
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
