package host

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/identity"
)

// view is all that a tool list depends on. Whoever has the same view gets the
// same bytes, so each is made once.
type view struct {
	readOnly, admin, severalCompanies bool
	era                               era
}

func viewOf(p *identity.Principal, e era) view {
	return view{p.ReadOnly(), p.Person.SystemAdmin, len(p.Companies) > 1, e}
}

// views keeps the finished tools/list results of one profile.
type views struct {
	mu   sync.RWMutex
	made map[view][]byte
}

func (v *views) get(key view, build func() ([]byte, error)) ([]byte, error) {
	v.mu.RLock()
	made, ok := v.made[key]
	v.mu.RUnlock()
	if ok {
		return made, nil
	}
	made, err := build()
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.made == nil {
		v.made = map[view][]byte{}
	}
	v.made[key] = made
	return made, nil
}

// list answers tools/list: all that the caller may use in one page, in the order
// of names, so there is no cursor that anybody could follow.
func (g *Gate) list(rq *request) ([]byte, *rpcErrorBody) {
	var params struct {
		Cursor string `json:"cursor"`
	}
	if rq.message.params != nil && json.Unmarshal(rq.message.params, &params) != nil || params.Cursor != "" {
		return nil, &rpcErrorBody{Code: codeInvalidParams, Message: "Invalid params: unknown cursor"}
	}
	principal := rq.caller.principal
	body, err := rq.profile.views.get(viewOf(principal, rq.era), func() ([]byte, error) {
		return g.buildList(rq.profile, principal, rq.era)
	})
	if err != nil {
		g.wiring.Log.Error("a tool list cannot be made", "profile", rq.profile.path, "error", err)
		return nil, &rpcErrorBody{Code: codeInternal, Message: "Internal error"}
	}
	return body, nil
}

// listed is a tool as tools/list shows it. No output schema is listed: a client's
// model pays for it at each turn, strict clients refuse a result that does not fit
// (a dry run, an operation, a cut list), and structuredContent needs none. They
// stand in /tools.json and in the resource of the tool's schemas.
type listed struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations catalog.Hints   `json:"annotations"`
}

// annotationsOf are a tool's annotations for who may do the most.
func annotationsOf(t *catalog.Tool) catalog.Hints {
	if t.Name == toolRun {
		return runAnnotations(false)
	}
	return t.Hints()
}

// listResult is the result of tools/list in both eras.
type listResult struct {
	*modernResult
	Tools []listed `json:"tools"`
}

// modernResult is what results of 2026-07-28 have beside their content.
type modernResult struct {
	ResultType string         `json:"resultType"`
	Meta       map[string]any `json:"_meta"`
	TTL        *int           `json:"ttlMs,omitempty"`
	CacheScope string         `json:"cacheScope,omitempty"`
}

// listTTL is how long a client may keep its list: rights may change at any time.
var listTTL = 0

func (g *Gate) buildList(p *profile, caller *identity.Principal, e era) ([]byte, error) {
	result := listResult{Tools: []listed{}}
	if e == modern {
		result.modernResult = &modernResult{
			ResultType: "complete", Meta: g.resultMeta(p), TTL: &listTTL, CacheScope: cacheScope,
		}
	}
	for _, t := range p.tools {
		if guard.Visible(caller, t.Tool) != nil {
			continue
		}
		entry, err := show(t.Tool, len(caller.Companies) > 1)
		if err != nil {
			return nil, err
		}
		if t.Name == toolRun {
			entry.Annotations = runAnnotations(caller.ReadOnly())
		}
		result.Tools = append(result.Tools, entry)
	}
	return plainJSON(result)
}

func (g *Gate) resultMeta(p *profile) map[string]any {
	return map[string]any{mcp.MetaKeyServerInfo: g.implementation(p)}
}

// show makes a tool's entry. Who has one company is not asked to choose.
func show(t *catalog.Tool, severalCompanies bool) (listed, error) {
	input := t.Input.Listed
	if !severalCompanies {
		var err error
		if input, err = withoutProperty(input, catalog.ArgCompany); err != nil {
			return listed{}, fmt.Errorf("tool %s: %w", t.Name, err)
		}
	}
	return listed{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: input, Annotations: annotationsOf(t)}, nil
}
