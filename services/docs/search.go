package docs

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
	"github.com/comporta-mcp/comporta/services/docs/internal/library"
)

// Bounds of a search (contract §10) and of the text of one result: twenty of the
// longest still fit an answer.
const (
	maxQuery       = 2000 // characters
	defaultResults = 5
	maxResults     = 20
	maxContent     = 2000 // characters
)

type searchInput struct {
	Query string `json:"query" jsonschema:"what is looked for, in the person's own words; up to 2000 characters"`
	// docsAmount is out of bounds on purpose: it is clamped, not refused.
	DocsAmount int    `json:"docsAmount,omitempty" jsonschema:"how many results, 1 to 20; default 5"`
	Language   string `json:"language,omitempty" jsonschema:"only pages in this language (en, pt-br); without it, pages in the language of the query come first"`
}

type searchOutput struct {
	Results []searchResult `json:"results"`
	// Missing is there when a source has no pages.
	Missing []missingSource `json:"missing,omitempty" jsonschema:"sources that could not be searched: what is not found may stand there"`
}

type searchResult struct {
	Title          string  `json:"title"`
	Content        string  `json:"content" jsonschema:"the passage of the page that answers best, Markdown"`
	Source         string  `json:"source" jsonschema:"where the passage stands"`
	Similarity     float64 `json:"similarity" jsonschema:"0 to 1"`
	SearchType     string  `json:"search_type" jsonschema:"lexical, or hybrid where a language model helped"`
	RelevanceScore float64 `json:"relevance_score" jsonschema:"orders the results; without a unit"`
}

type missingSource struct {
	Source string `json:"source"`
	Reason string `json:"reason"`
}

// searchTool makes the tool of a collection.
func (s *service) searchTool(c corpus.Collection) (host.Tool, error) {
	t, err := catalog.HandTool(catalog.Tool{
		Area: "docs", Name: c.Tool, Title: c.Title, Description: strings.TrimSpace(c.Description),
		Profiles: []string{searchProfile}, Effect: catalog.Read, Idempotent: true,
	}, searchInput{}, searchOutput{})
	return host.Tool{Tool: t, Run: func(ctx context.Context, cl *call.Call) (*call.Answer, error) {
		return s.search(ctx, c.Tool, cl.Args)
	}}, err
}

func (s *service) search(ctx context.Context, tool string, args map[string]any) (*call.Answer, error) {
	query, _ := args["query"].(string)
	if n := utf8.RuneCountInString(query); n > maxQuery || strings.TrimSpace(query) == "" {
		return nil, problem.New(problem.ParametroInvalido, "query must have 1 to %d characters; this one has %d.", maxQuery, n).
			ToDo("Ask for one thing, in a sentence or in key words.").
			Field("query", problem.Sentence{Format: "has the wrong length"})
	}
	language, _ := args["language"].(string)
	if _, known := analysis.Named(language); language != "" && !known {
		return nil, problem.New(problem.ParametroInvalido, "There are no pages in the language %q.", language).
			ToDo("Leave language out, or give one of these: %s.", analysis.Codes()).
			Field("language", problem.Sentence{Format: "is not known"})
	}
	collection, ok := s.library.Collection(tool)
	if !ok {
		return nil, problem.New(problem.EstadoInvalido, "What this tool searches is still being read.").
			ToDo("Repeat the call in a moment.").After(firstIndex)
	}
	amount, adjusted := resultsAsked(args["docsAmount"])
	found := find(ctx, collection, query, language, amount)
	value := map[string]any{"results": found}
	if missing := missingOf(collection); len(missing) > 0 {
		value["missing"] = missing
	}
	if adjusted != nil {
		value["limit_ajustado"] = adjusted
	}
	return &call.Answer{Value: value}, nil
}

// resultsAsked clamps docsAmount, and says so where that changed it.
func resultsAsked(v any) (int, map[string]any) {
	asked, ok := v.(json.Number)
	if !ok {
		return defaultResults, nil
	}
	amount := maxResults // a number beyond an integer's range is too large or too small
	if strings.HasPrefix(asked.String(), "-") {
		amount = 1
	}
	if n, err := asked.Int64(); err == nil {
		amount = int(min(max(n, 1), maxResults))
		if n == int64(amount) {
			return amount, nil
		}
	}
	return amount, map[string]any{"pedido": asked, "aplicado": amount}
}

func missingOf(c *library.Collection) []any {
	var out []any
	for _, name := range sortedKeys(c.Missing) {
		out = append(out, map[string]any{"source": name, "reason": c.Missing[name]})
	}
	return out
}

// round keeps four digits: more tell nothing.
func round(x float64) float64 { return math.Round(x*10_000) / 10_000 }
