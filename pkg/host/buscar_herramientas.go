package host

import (
	"context"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
)

const (
	defaultFound = 5
	maxFound     = 20
	// fullRoom is how many characters of complete schemas an answer takes; tools
	// that no longer fit are told as tools/list tells them.
	fullRoom = 40_000
	// foundRoom bounds the tools of an answer, below contract §5's 60 000.
	foundRoom = answer.MaxChars - 5_000
)

func (g *Gate) searchTool() (Tool, error) {
	input := json.RawMessage(`{"type":"object","required":["consulta"],"properties":{` +
		`"consulta":{"type":"string","description":"What to do: delete a firewall rule"},` +
		`"limite":{"type":"integer","description":"How many, 1 to 20; default 5"}}}`)
	return g.handTool(catalog.Tool{
		Name:        toolSearch,
		Title:       "Find tools",
		Description: "Finds the tools of this host for a task, told in English, Portuguese or Spanish, and answers their complete schemas. Call one with " + toolRun + ".",
		Profiles:    []string{liteName},
		Effect:      catalog.Read,
		Idempotent:  true,
	}, input, nil, g.searchTools)
}

func (g *Gate) searchTools(_ context.Context, c *call.Call) (*call.Answer, error) {
	words, _ := c.Args["consulta"].(string)
	limit, clamped := foundLimit(c.Args["limite"])
	hits := g.words.Find(words, useful(c.Principal))
	tools, left, err := g.showFound(hits[:min(limit, len(hits))], len(c.Principal.Companies) > 1)
	if err != nil {
		return nil, err
	}
	value := map[string]any{"herramientas": tools}
	if left > 0 {
		value["herramientas_recortado"] = len(tools) + left
	}
	if clamped != nil {
		value["limit_ajustado"] = clamped
	}
	if len(hits) == 0 {
		value["que_hacer"] = "Say in consulta what you want to do and to what, such as: list applications, create a DNS record, apagar uma regra de firewall. ver_contexto_inicial says what you may touch."
	}
	return &call.Answer{Value: value}, nil
}

// foundLimit brings the limit into its range and says so (contract §5).
func foundLimit(asked any) (limit int, clamped map[string]any) {
	number, ok := asked.(json.Number)
	if !ok {
		return defaultFound, nil
	}
	n, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil { // beyond 64 bits
		n = maxFound + 1
	}
	limit = int(min(max(n, 1), maxFound))
	if int64(limit) != n {
		clamped = map[string]any{"pedido": number, "aplicado": limit}
	}
	return limit, clamped
}

// foundTool is a tool as buscar_herramientas shows it.
type foundTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations catalog.Hints   `json:"annotations"`
}

// showFound shows tools, with complete schemas as far as there is room. left is
// how many did not fit at all.
func (g *Gate) showFound(hits []*catalog.Tool, severalCompanies bool) (shown []any, left int, err error) {
	shown, used := []any{}, 0
	for i, t := range hits {
		entry, size, err := g.foundEntry(t, t.Input.Full, severalCompanies)
		if err == nil && used+size > fullRoom && len(t.Input.Listed) < len(t.Input.Full) {
			entry, size, err = g.foundEntry(t, t.Input.Listed, severalCompanies)
			entry.Description += " The complete schema is the resource " + g.cfg.ResourceScheme + "://schemas/" + t.Name + "."
		}
		if err != nil {
			return nil, 0, err
		}
		if used+size > foundRoom && i > 0 {
			return shown, len(hits) - i, nil
		}
		used += size
		shown = append(shown, entry)
	}
	return shown, 0, nil
}

func (g *Gate) foundEntry(t *catalog.Tool, schema json.RawMessage, severalCompanies bool) (foundTool, int, error) {
	if !severalCompanies {
		var err error
		if schema, err = withoutProperty(schema, catalog.ArgCompany); err != nil {
			return foundTool{}, 0, err
		}
	}
	entry := foundTool{Name: t.Name, Description: t.Description, InputSchema: schema, Annotations: annotationsOf(t)}
	text, err := json.Marshal(entry)
	return entry, utf8.RuneCount(text), err
}
