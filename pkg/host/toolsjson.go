package host

import (
	"encoding/json"
	"net/http"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// described is a tool as /tools.json tells it (contract §1).
type described struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	Profiles     []string        `json:"profiles"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"` // null where none is declared
	Annotations  catalog.Hints   `json:"annotations"`
	Effect       string          `json:"effect"`
	Confirm      string          `json:"confirm"`
	Approval     string          `json:"approval"`
	Operation    bool            `json:"operation"`
	Idempotency  bool            `json:"idempotency"`
	Limits       []string        `json:"limits"`
	Untrusted    []string        `json:"untrusted"`
	Admin        bool            `json:"admin"`
}

func describe(t *catalog.Tool) described {
	d := described{
		Name: t.Name, Title: t.Title, Description: t.Description,
		Profiles:    orEmpty(t.Profiles),
		InputSchema: t.Input.Listed,
		Annotations: annotationsOf(t),
		Effect:      string(shownEffect(t)), Confirm: string(t.Confirm), Approval: string(t.Approval),
		Operation:   t.Operation != nil,
		Idempotency: t.Creates || t.Operation != nil,
		Limits:      orEmpty(t.Limits), Untrusted: orEmpty(t.Untrusted),
		Admin: t.Admin,
	}
	if t.Output != nil {
		d.OutputSchema = t.Output.Full
	}
	return d
}

// renderTools makes /tools.json once: it is the same for everybody.
func (g *Gate) renderTools() ([]byte, error) {
	tools := make([]described, 0, len(g.tools))
	for _, t := range g.tools {
		tools = append(tools, describe(t.Tool))
	}
	never := make([]map[string]string, 0, len(g.never))
	for _, t := range g.never {
		never = append(never, map[string]string{"name": t.Name, "why": t.Never})
	}
	return json.Marshal(map[string]any{
		"area": g.area.Name, "version": g.area.Version, "tools": tools, "never": never,
	})
}

func (g *Gate) toolsJSON(w http.ResponseWriter, r *http.Request) {
	g.pages.tools.serve(w, r)
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
