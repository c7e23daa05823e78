package lexicon

import (
	"strings"
)

// cognates are the Portuguese spellings that a Spanish word may have.
func cognates(word string) []string {
	out := []string{word}
	for _, r := range []struct{ es, pt string }{
		{"ciones", "coes"}, {"cion", "cao"}, {"siones", "soes"}, {"sion", "sao"}, {"dades", "dades"}, {"dad", "dade"},
		{"mente", "mente"}, {"ero", "eiro"}, {"era", "eira"}, {"aje", "agem"}, {"ble", "vel"}, {"miento", "mento"},
	} {
		if stem, ok := strings.CutSuffix(word, r.es); ok {
			out = append(out, stem+r.pt)
			break
		}
	}
	for _, r := range []struct{ es, pt string }{{"ue", "o"}, {"ie", "e"}, {"ll", "l"}, {"ñ", "nh"}, {"j", "lh"}} {
		if strings.Contains(word, r.es) {
			out = append(out, strings.Replace(word, r.es, r.pt, 1))
		}
	}
	return out
}

// english is the English spelling that a Portuguese or Spanish word may have that
// came from Latin as the English one did.
func english(word string) (string, bool) {
	for _, r := range []struct{ from, to string }{
		{"izaciones", "ization"}, {"izacion", "ization"}, {"izacoes", "ization"}, {"izacao", "ization"},
		{"ciones", "tion"}, {"cion", "tion"}, {"coes", "tion"}, {"cao", "tion"},
		{"siones", "sion"}, {"sion", "sion"}, {"soes", "sion"}, {"sao", "sion"},
		{"idades", "ity"}, {"idade", "ity"}, {"idad", "ity"}, {"dades", "ty"}, {"dade", "ty"}, {"dad", "ty"},
		{"amente", "ally"}, {"mente", "ly"}, {"encia", "ence"}, {"ancia", "ance"}, {"ificar", "ify"}, {"izar", "ize"},
		{"ivo", "ive"}, {"iva", "ive"}, {"oso", "ous"}, {"osa", "ous"}, {"avel", "able"}, {"ivel", "ible"}, {"ismo", "ism"}, {"ista", "ist"},
		{"ologia", "ology"}, {"ico", "ic"}, {"ica", "ic"}, {"ario", "ary"}, {"aria", "ary"}, {"orio", "ory"}, {"ado", "ated"}, {"ar", "ate"},
		{"ir", ""}, {"er", ""}, {"a", ""}, {"o", ""}, {"e", ""},
	} {
		if stem, ok := strings.CutSuffix(word, r.from); ok && len(stem) >= 4 {
			return stem + r.to, true
		}
	}
	return "", false
}
