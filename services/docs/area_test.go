package docs_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/services/docs"
	"github.com/comporta-mcp/comporta/services/docs/manual"
)

var may = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

// served is an area whose library has been made.
type served struct {
	t     *testing.T
	area  host.Area
	tools map[string]host.Tool
	dir   string // of the source "sea"
}

const corpora = `
collections:
  - tool: search_sea
    title: Sea
    description: What is written about the sea.
    fold: true
    sources:
      - {name: sea-en, path: %DIR%/en, url: "https://sea.example.com/en{permalink}#{anchor}"}
      - {name: sea-pt, path: %DIR%/pt, lang: pt-br, url: "https://sea.example.com/pt{permalink}#{anchor}"}
      - {name: sea-far, path: %DIR%/far}
  - tool: search_comporta_docs
    title: How it works
    description: These servers.
    fold: true
    sources:
      - {name: comporta, builtin: true, url: "comporta:{path}"}
`

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func serve(t *testing.T, change func(*docs.Config)) *served {
	t.Helper()
	s := &served{t: t, dir: t.TempDir(), tools: map[string]host.Tool{}}
	write(t, s.dir+"/en/tides.mdx", "---\ntitle: Tides\nnamespace: tides\npermalink: /tides/\n---\n## High tide\nThe water is high twice a day, when the moon pulls.\n")
	write(t, s.dir+"/pt/mares.mdx", "---\ntitle: Marés\nnamespace: tides\npermalink: /mares/\n---\n## Maré alta\nA água fica alta duas vezes por dia, quando a lua puxa.\n")
	write(t, s.dir+"/en/boats.mdx", "---\ntitle: Boats\npermalink: /boats/\n---\nHow to moor a boat with `--auto` in the harbour.\n")
	write(t, s.dir+"/corpora.yaml", strings.ReplaceAll(corpora, "%DIR%", s.dir))
	cfg := docs.Defaults()
	cfg.Search.Corpora, cfg.Search.Refresh = s.dir+"/corpora.yaml", 0
	if change != nil {
		change(&cfg)
	}
	s.area = docs.With(cfg)
	tools, err := s.area.Tools(host.Deps{
		Scheme: "azion", Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return may }, DataDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		s.tools[tool.Name] = tool
	}
	return s
}

// start runs the area until the test ends, and waits for the first index.
func (s *served) start() *served {
	s.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); s.area.Background(ctx) }()
	s.t.Cleanup(func() { stop(); <-done })
	for s.area.Ready(ctx) != nil {
		time.Sleep(time.Millisecond)
	}
	return s
}

func (s *served) call(tool, args string) (*call.Answer, error) {
	s.t.Helper()
	decoder := json.NewDecoder(strings.NewReader(args))
	decoder.UseNumber()
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		s.t.Fatal(err)
	}
	return s.tools[tool].Run(s.t.Context(), &call.Call{Args: values})
}

// results are the answer's results, decoded from what goes over the wire.
func (s *served) results(tool, args string) (out struct {
	Results []struct {
		Title, Content, Source string
		Similarity             float64
		SearchType             string  `json:"search_type"`
		RelevanceScore         float64 `json:"relevance_score"`
	}
	Missing []struct{ Source, Reason string }
	Limit   map[string]json.Number `json:"limit_ajustado"`
}) {
	s.t.Helper()
	answer, err := s.call(tool, args)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := json.Marshal(answer.Value)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		s.t.Fatal(err)
	}
	return out
}

func TestASearchFindsThePassageInTheLanguageOfTheQuestion(t *testing.T) {
	s := serve(t, nil).start()
	for query, want := range map[string]string{
		"when is the water high":      "https://sea.example.com/en/tides/#high-tide",
		"quando a água fica alta":     "https://sea.example.com/pt/mares/#maré-alta",
		"boat --auto":                 "https://sea.example.com/en/boats/",
		"habour":                      "https://sea.example.com/en/boats/", // misspelt
		"AGUA ALTA":                   "https://sea.example.com/pt/mares/#maré-alta",
		`"(unbalanced [query* AND +~`: "", // nothing, and no error
	} {
		got := s.results("search_sea", `{"query":`+quote(query)+`}`)
		source := ""
		if len(got.Results) > 0 {
			r := got.Results[0]
			source = r.Source
			if r.Similarity <= 0 || r.Similarity > 1 || r.SearchType != "lexical" || r.RelevanceScore <= 0 || r.Content == "" {
				t.Errorf("%q: %+v", query, r)
			}
		}
		if source != want {
			t.Errorf("%q finds %q, want %q", query, source, want)
		}
	}
}

func quote(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}

func TestAPageAndItsTranslationAreOneResult(t *testing.T) {
	s := serve(t, nil).start()
	if got := s.results("search_sea", `{"query":"tides marés moon lua","docsAmount":20}`); len(got.Results) != 1 {
		t.Errorf("%+v", got.Results)
	}
	got := s.results("search_sea", `{"query":"tides","language":"pt-br"}`)
	if len(got.Results) != 1 || !strings.HasPrefix(got.Results[0].Source, "https://sea.example.com/pt/") {
		t.Errorf("only Portuguese pages were wanted: %+v", got.Results)
	}
}

func TestASourceThatIsMissingIsTold(t *testing.T) {
	s := serve(t, nil).start()
	got := s.results("search_sea", `{"query":"tides"}`)
	if len(got.Missing) != 1 || got.Missing[0].Source != "sea-far" || strings.Contains(got.Missing[0].Reason, s.dir) {
		t.Errorf("missing: %+v, want sea-far without a path of this machine", got.Missing)
	}
	if faults := s.area.Degraded(); faults["sea-far"] == "" || len(faults) != 1 {
		t.Errorf("/readyz tells %v", faults)
	}
}

func TestArgumentsOutOfBounds(t *testing.T) {
	s := serve(t, nil).start()
	for args, applied := range map[string]json.Number{
		`{"query":"tide","docsAmount":0}`:                     "1",
		`{"query":"tide","docsAmount":-5}`:                    "1",
		`{"query":"tide","docsAmount":21}`:                    "20",
		`{"query":"tide","docsAmount":99999999999999999999}`:  "20",
		`{"query":"tide","docsAmount":-99999999999999999999}`: "1",
		`{"query":"tide","docsAmount":20}`:                    "",
	} {
		if got := s.results("search_sea", args); got.Limit["aplicado"] != applied {
			t.Errorf("%s: limit_ajustado %v, want %s", args, got.Limit, applied)
		}
	}
	for name, query := range map[string]string{"empty": "", "only spaces": " \n ", "2 001 characters": strings.Repeat("é", 2001)} {
		_, err := s.call("search_sea", `{"query":`+quote(query)+`}`)
		if p := problem.As(err); err == nil || p.Code != problem.ParametroInvalido {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, query := range []string{strings.Repeat("é", 2000), strings.Repeat("a ", 1000), "\u202eetirw\u0000", "👩‍👩‍👧 шторм 潮汐", "%s%n' OR 1=1 --"} {
		if _, err := s.call("search_sea", `{"query":`+quote(query)+`}`); err != nil {
			t.Errorf("%.20q: %v", query, err)
		}
	}
}

func TestALanguageThatIsNotKnownIsRefusedWithThoseThatAre(t *testing.T) {
	s := serve(t, nil).start()
	_, err := s.call("search_sea", `{"query":"tides","language":"fr"}`)
	if p := problem.As(err); err == nil || p.Code != problem.ParametroInvalido || !strings.Contains(p.Do.String(), "en, pt, es") {
		t.Errorf("%+v", p)
	}
	for _, known := range []string{"en", "en-GB", "pt-br", "PT", "es"} {
		if _, err := s.call("search_sea", `{"query":"tides","language":"`+known+`"}`); err != nil {
			t.Errorf("%s: %v", known, err)
		}
	}
}

// A query is text of any kind and never an expression.
func TestAnyTextIsAQuestion(t *testing.T) {
	s := serve(t, nil).start()
	composed, decomposed := "quando a maré é alta", "quando a mare\u0301 e\u0301 alta"
	a, b := s.results("search_sea", `{"query":`+quote(composed)+`}`), s.results("search_sea", `{"query":`+quote(decomposed)+`}`)
	if len(a.Results) == 0 || len(a.Results) != len(b.Results) || a.Results[0] != b.Results[0] {
		t.Errorf("one visible text finds two things: %+v and %+v", a.Results, b.Results)
	}
	for name, query := range map[string]string{
		"2 000 characters of four bytes":  strings.Repeat("😀", 2000),
		"2 000 different words":           strings.Join(strings.Split(strings.Repeat("x", 999), ""), " "),
		"one word of 2 000 letters":       strings.Repeat("a", 2000),
		"1 000 lone accents":              strings.Repeat("\u0301", 1000),
		"right to left and marks":         "مد البحر \u202e\u2066\u200f",
		"zero width and no break":         "ti\u200bdes\u00a0high\ufeff",
		"wide and Turkish letters":        "ＴＩＤＥＳ İıŞ ß ﬁ",
		"surrogates that stand alone":     string([]rune{0xd800, 0xdfff}),
		"control characters":              "\x00\x01\x1b[31m tides \x7f",
		"an expression of another index":  `title:tides^4 AND (sea OR "moon") NOT +boat -x ~2 [a TO z] {* / \`,
		"a pattern":                       `(a+)+$ .*{9999} \p{L} %00 ../../etc`,
		"markup":                          "<script>alert(1)</script> {{7*7}} ${x} `id`",
		"Chinese, Korean, Thai":           "潮汐 조수 กระแสน้ำ",
		"a family, flags, and a modifier": "👩‍👩‍👧 🇧🇷 👍🏽 tides",
	} {
		if _, err := s.call("search_sea", `{"query":`+quote(query)+`}`); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBeforeTheFirstIndexACallIsToBeRepeated(t *testing.T) {
	s := serve(t, nil)
	_, err := s.call("search_sea", `{"query":"tides"}`)
	if p := problem.As(err); err == nil || p.Code != problem.EstadoInvalido || !p.Retryable || p.RetryAfter <= 0 {
		t.Errorf("%+v", p)
	}
	if s.area.Ready(t.Context()) == nil {
		t.Error("ready before there is an index")
	}
}

func TestTheBuiltInPagesTellHowTheseServersWork(t *testing.T) {
	s := serve(t, nil).start()
	for query, want := range map[string]string{
		"text by third parties, no_confiable":       "handbook/calling.md",
		"delete a workload":                         "tools/build/delete_workload",
		"resultado_desconocido":                     "handbook/operations.md",
		"how many calls per second are allowed":     "handbook/errors.md",
		"como conectar meu agente com OAuth na web": "handbook/connecting.md",
		"set up Claude Desktop and Cursor":          "manual/en/clients.md",
		"a tool is missing in my client":            "manual/en/trouble.md",
		"o agente espera para sempre":               "manual/pt-BR/trouble.md",
		"glossário: o que é um vínculo":             "manual/pt-BR/glossary.md",
	} {
		found := false
		for _, r := range s.results("search_comporta_docs", `{"query":`+quote(query)+`,"docsAmount":3}`).Results {
			found = found || strings.Contains(r.Source, want)
		}
		if !found {
			t.Errorf("%q does not find %s", query, want)
		}
	}
}

// TestThePageInTheWordsThatWereAskedComesFirst asks for each page of the manual by
// what it says of itself, in each of its languages.
func TestThePageInTheWordsThatWereAskedComesFirst(t *testing.T) {
	s := serve(t, nil).start()
	for _, lang := range []string{"en", "pt-BR"} {
		names, err := fs.Glob(manual.Pages, lang+"/*.md")
		if err != nil || len(names) == 0 {
			t.Fatalf("no pages of the manual in %s: %v", lang, err)
		}
		for _, name := range names {
			found := s.results("search_comporta_docs", `{"query":`+quote(ownWords(t, name))+`,"docsAmount":20}`).Results
			if len(found) == 0 || found[0].Source != "comporta:manual/"+name {
				t.Errorf("%q does not find %s first, but %+v", ownWords(t, name), name, found[:min(1, len(found))])
				continue
			}
			for _, r := range found[1:] {
				if strings.HasPrefix(r.Source, "comporta:manual/") && path.Base(r.Source) == path.Base(name) {
					t.Errorf("%s is found in two languages", name)
				}
			}
		}
	}
}

func TestAQuestionInPortugueseIsAnsweredByThePageInPortuguese(t *testing.T) {
	s := serve(t, nil).start()
	for query, want := range map[string]string{
		"o agente pediu para eu aprovar, onde eu vejo isso?": "manual/pt-BR/approval.md",
		"the agent asked me to approve, where do I see it?":  "manual/en/approval.md",
		"o que quer dizer idempotency_key?":                  "manual/pt-BR/glossary.md",
	} {
		found := s.results("search_comporta_docs", `{"query":`+quote(query)+`,"docsAmount":3}`).Results
		at := 0
		for at < len(found) && !strings.Contains(found[at].Source, want) {
			at++
		}
		if at == len(found) {
			t.Errorf("%q does not find %s, but %+v", query, want, found)
		}
	}
}

// ownWords are a page's title and description.
func ownWords(t *testing.T, name string) string {
	t.Helper()
	data, err := fs.ReadFile(manual.Pages, name)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for line := range strings.Lines(string(data)) {
		for _, key := range []string{"title: ", "description: "} {
			if text, ok := strings.CutPrefix(strings.TrimSpace(line), key); ok {
				words = append(words, text)
			}
		}
	}
	if len(words) != 2 {
		t.Fatalf("%s: its title and description are %q", name, words)
	}
	return strings.Join(words, ". ")
}

func TestTheGuide(t *testing.T) {
	s := serve(t, nil)
	whole, err := s.call("deploy_azion_static_site", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Text != whole.Value["text"] || strings.Count(whole.Text, "2026-05-04") != 5 || strings.Contains(whole.Text, "{date}") {
		t.Errorf("the guide: %.200s", whole.Text)
	}
	resources, err := s.area.Resources(host.Deps{Scheme: "azion", Now: func() time.Time { return may }})
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]string{}
	for _, r := range resources {
		if read[r.URI], err = r.Read(t.Context(), r.URI); err != nil || r.MIMEType != "text/markdown" {
			t.Errorf("%s: %v", r.URI, err)
		}
	}
	step, err := s.call("deploy_azion_static_site", `{"step":"step-0-preparation"}`)
	if err != nil || step.Text != read["azion://guides/deploy/step-0-preparation"] || step.Value["uri"] != "azion://guides/deploy/step-0-preparation" {
		t.Errorf("the step differs from its resource: %v", err)
	}
	for uri, text := range read {
		for _, link := range strings.Split(text, "`azion://")[1:] {
			target, _, _ := strings.Cut(link, "`")
			if _, ok := read["azion://"+target]; !ok {
				t.Errorf("%s leads to azion://%s, which is no step", uri, target)
			}
		}
	}
	_, err = s.call("deploy_azion_static_site", `{"step":"step-9"}`)
	if p := problem.As(err); err == nil || p.Code != problem.ParametroInvalido {
		t.Errorf("an unknown step: %v", err)
	}
}

func TestStepNamesAreCompleted(t *testing.T) {
	template := docs.Area.Templates(host.Deps{Scheme: "azion"})[0]
	if got := template.Complete("topic", nil); strings.Join(got, " ") != "cache deploy" {
		t.Errorf("topics %v", got)
	}
	got := template.Complete("step", map[string]string{"topic": "cache"})
	if strings.Join(got, " ") != "step-0-headers step-1-miss-and-hit step-2-purge" {
		t.Errorf("steps of cache %v", got)
	}
	if got := template.Complete("colour", nil); got != nil {
		t.Errorf("a variable that is not there: %v", got)
	}
}
