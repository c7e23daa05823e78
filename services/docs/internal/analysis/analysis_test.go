package analysis_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
)

func TestTermsOfAText(t *testing.T) {
	for _, c := range []struct {
		name string
		lang *analysis.Language
		text string
		want string
	}{
		{"an identifier is kept whole and in parts", analysis.English, "set cache_settings", "set cache_settings cach set"},
		{"a flag keeps its dashes", analysis.English, "deploy --auto", "deploy --auto auto"},
		{"a dotted name with humps", analysis.English, "crypto.createHmac", "crypto.createhmac crypto creat hmac"},
		{"capitals in a row are one word", analysis.English, "HTTPServer", "httpserver http server"},
		{"small words tell nothing", analysis.English, "how do I get the logs", "log"},
		{"a number with separators is one number", analysis.English, "10,000 or 10.000", "10000 10000"},
		{"Portuguese singular and plural are one", analysis.Portuguese, "requisição requisições", "requis requis"},
		{"accents may be missing", analysis.Portuguese, "configuração configuracao CONFIGURAÇÕES", "configur configur configur"},
		{"verb and noun meet", analysis.Portuguese, "configurar configurando configurado", "configur configur configur"},
		{"Spanish plurals and verbs", analysis.Spanish, "configuraciones configurar", "configur configur"},
		{"broken UTF-8 separates words", analysis.English, "cache\xff\xfepurge", "cach purg"},
		{"other scripts are words, too", analysis.English, "缓存 кэш", "缓存 кэш"},
		{"a very long word is left out, the words of a long address are not", analysis.English, strings.Repeat("x", 100) + " https://example.com/" + strings.Repeat("purge/", 20), "https exampl com" + strings.Repeat(" purg", 20)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			c.lang.Terms(c.text, func(term string) { got = append(got, term) })
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]*analysis.Language{
		"how do I purge the cache":           analysis.English,
		"como faço para limpar o cache":      analysis.Portuguese,
		"¿cómo puedo borrar la caché?":       analysis.Spanish,
		"configuração de função":             analysis.Portuguese,
		"cache purge":                        analysis.Spanish, // nothing tells: the fallback
		"":                                   analysis.Spanish,
		"bloquear los países del sitio":      analysis.Spanish,
		"listar as regras de uma aplicação.": analysis.Portuguese,
	} {
		if got := analysis.Detect(text, analysis.Spanish); got != want {
			t.Errorf("%q is %s, want %s", text, got.Code, want.Code)
		}
	}
}

func FuzzTerms(f *testing.F) {
	for _, text := range []string{"", "a_b", "--x", "10.000", "ﬁ İ ß", "\xff", "…—“”", "$@-.", "://", "é́"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range analysis.Languages {
			n := 0
			l.Terms(text, func(term string) {
				n++
				if term == "" || !utf8.ValidString(term) {
					t.Errorf("%q gives the term %q", text, term)
				}
			})
			if n > 4*len(text)+4 {
				t.Errorf("%d terms of %d bytes", n, len(text))
			}
		}
		analysis.Detect(text, analysis.English)
	})
}
