package host_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

func TestSentencesAreInTheLanguageThatIsAskedFor(t *testing.T) {
	type said struct{ what, do string }
	english := said{
		"create_ship changes things, and this link may only read.",
		"The platform itself lets this person only read. Ask somebody with writing rights.",
	}
	portuguese := said{
		"create_ship faz alterações, e este vínculo só permite leitura.",
		"A própria plataforma só permite que esta pessoa leia. Peça a alguém com permissão de escrita.",
	}
	spanish := said{
		"create_ship hace cambios, y este vínculo solo permite leer.",
		"La propia plataforma solo permite leer a esta persona. Pídeselo a alguien con permiso de escritura.",
	}
	for _, c := range []struct {
		name, locale, header string
		want                 said
	}{
		{"Portuguese", "en", "pt-BR,pt;q=0.9,en;q=0.5", portuguese},
		{"Spanish of another country", "en", "es-AR", spanish},
		{"a language that nobody speaks", "en", "de", english},
		{"none, which leaves it to the deployment", "pt-BR", "", portuguese},
		{"English, whatever the deployment's own", "pt-BR", "en", english},
		{"a language that nobody speaks, where the deployment's is Spanish", "es", "de", spanish},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, func(_ *host.Area, cfg *host.Config, _ *host.Wiring) { cfg.Locale = c.locale })
			got := d.fails(problem.SinPermiso, "create_ship", `{"name":"x"}`, asReader, "Accept-Language: "+c.header)
			if got["que_paso"] != c.want.what || got["que_hacer"] != c.want.do {
				t.Errorf("%v\n%v\nwant %v", got["que_paso"], got["que_hacer"], c.want)
			}
		})
	}
}
