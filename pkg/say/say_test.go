package say

import (
	"testing"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

func TestTheSpeakerIsTheOneThatTheCallerAsksFor(t *testing.T) {
	for _, c := range []struct{ name, locale, header, want string }{
		{"nothing is asked for", "en", "", "en"},
		{"nothing is asked for and the deployment speaks Portuguese", "pt-BR", "", "pt-BR"},
		{"the very language", "en", "pt-BR", "pt-BR"},
		{"the language without a country", "en", "pt", "pt-BR"},
		{"the language of another country", "en", "es-MX", "es"},
		{"English where the deployment speaks Spanish", "es", "en-GB", "en"},
		{"the first of several that is spoken", "en", "de, fr;q=0.9, es;q=0.8, pt-BR;q=0.7", "es"},
		{"the weights count, not the order", "en", "en;q=0.2, pt-BR;q=0.9", "pt-BR"},
		{"none that is spoken", "es", "de, ja", "es"},
		{"anything will do", "pt-BR", "*", "pt-BR"},
		{"no header of this kind", "pt-BR", ";;q=%%", "pt-BR"},
	} {
		t.Run(c.name, func(t *testing.T) {
			languages, err := Load(c.locale)
			if err != nil {
				t.Fatal(err)
			}
			if got := languages.For(c.header).Tag; got != c.want {
				t.Errorf("%q speaks %s, want %s", c.header, got, c.want)
			}
		})
	}
}

func TestALocaleThatNobodySpeaksIsRefused(t *testing.T) {
	for _, locale := range []string{"", "fr", "pt", "pt-br"} {
		if _, err := Load(locale); err == nil {
			t.Errorf("%q was taken", locale)
		}
	}
}

func TestASentenceIsSaidWithItsArguments(t *testing.T) {
	languages, err := Load("en")
	if err != nil {
		t.Fatal(err)
	}
	turned := problem.Sentence{Format: "The %s %s is outside what this link may touch.", Args: []any{"zone", "12"}}
	plain := problem.Sentence{Format: "Repeat the call."}
	unknown := problem.Sentence{Format: "Nobody has translated %s.", Args: []any{"this"}}
	for _, c := range []struct {
		header   string
		sentence problem.Sentence
		want     string
	}{
		{"en", turned, "The zone 12 is outside what this link may touch."},
		{"pt-BR", turned, "O recurso 12 do tipo zone está fora do que este vínculo pode acessar."},
		{"es", turned, "El recurso 12 de tipo zone está fuera de lo que este vínculo puede tocar."},
		{"pt-BR", plain, "Repita a chamada."},
		{"es", plain, "Repite la llamada."},
		{"es", unknown, "Nobody has translated this."},
	} {
		if got := languages.For(c.header).Say(c.sentence); got != c.want {
			t.Errorf("%s: %q, want %q", c.header, got, c.want)
		}
	}
}
