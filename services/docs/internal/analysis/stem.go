package analysis

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

func stemEnglish(word string) string {
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// minStem is the shortest stem in bytes that a suffix may leave: shorter ones
// throw unrelated words together.
const minStem = 3

// ending is a suffix and what takes its place.
type ending struct{ from, to string }

// replace applies the first ending that fits.
func replace(word string, endings []ending) string {
	for _, e := range endings {
		if strings.HasSuffix(word, e.from) && len(word)-len(e.from) >= minStem {
			return word[:len(word)-len(e.from)] + e.to
		}
	}
	return word
}

// The Portuguese and Spanish rules work on folded words, so that a word typed
// without its accents has the same stem, and so that "requisição" and
// "requisições" do (Snowball keeps them apart).
var (
	portuguesePlurals = []ending{
		{"coes", "cao"}, {"soes", "sao"}, {"oes", "ao"}, {"aes", "ao"}, {"ais", "al"}, {"eis", "el"}, {"ois", "ol"},
		{"ns", "m"}, {"res", "r"}, {"zes", "z"}, {"les", "le"}, {"ss", "ss"}, {"us", "us"}, {"is", "il"}, {"s", ""},
	}
	portugueseSuffixes = []ending{
		{"amente", ""}, {"mente", ""},
		{"izacao", "iz"}, {"acao", ""}, {"icao", ""}, {"ucao", "u"}, {"ncia", "nt"}, {"amento", ""}, {"imento", ""},
		{"ariam", ""}, {"eriam", ""}, {"iriam", ""}, {"aremos", ""}, {"assem", ""},
		{"ando", ""}, {"endo", ""}, {"indo", ""}, {"aria", ""}, {"eria", ""}, {"iria", ""}, {"avam", ""}, {"aram", ""}, {"eram", ""}, {"iram", ""},
		{"arei", ""}, {"ados", ""}, {"adas", ""}, {"idos", ""}, {"idas", ""}, {"amos", ""}, {"emos", ""}, {"imos", ""},
		{"ado", ""}, {"ada", ""}, {"ido", ""}, {"ida", ""}, {"ava", ""}, {"ara", ""}, {"asse", ""}, {"esse", ""},
		{"ante", ""}, {"vel", ""}, {"ar", ""}, {"er", ""}, {"ir", ""}, {"ou", ""}, {"am", ""}, {"em", ""}, {"ei", ""},
		{"ia", ""}, {"io", ""}, {"a", ""}, {"e", ""}, {"o", ""}, {"i", ""},
	}
	spanishPlurals = []ending{
		{"ciones", "cion"}, {"siones", "sion"}, {"ces", "z"}, {"dades", "dad"}, {"ores", "or"}, {"ales", "al"}, {"iles", "il"}, {"ones", "on"},
		{"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""},
	}
	spanishSuffixes = []ending{
		{"amente", ""}, {"mente", ""},
		{"izacion", "iz"}, {"acion", ""}, {"icion", ""}, {"ucion", "u"}, {"ncia", "nt"}, {"amiento", ""}, {"imiento", ""},
		{"ando", ""}, {"iendo", ""}, {"aria", ""}, {"eria", ""}, {"iria", ""}, {"aron", ""}, {"ieron", ""}, {"aban", ""},
		{"amos", ""}, {"emos", ""}, {"imos", ""}, {"ado", ""}, {"ada", ""}, {"ido", ""}, {"ida", ""}, {"aba", ""},
		{"arlo", ""}, {"arla", ""}, {"ante", ""}, {"ible", ""}, {"able", ""},
		{"ar", ""}, {"er", ""}, {"ir", ""}, {"an", ""}, {"en", ""}, {"ia", ""}, {"io", ""}, {"a", ""}, {"e", ""}, {"o", ""},
	}
)

func stemPortuguese(word string) string {
	return replace(replace(word, portuguesePlurals), portugueseSuffixes)
}

func stemSpanish(word string) string {
	return replace(replace(word, spanishPlurals), spanishSuffixes)
}
