package say

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// spoken are the languages with a catalogue.
var spoken = []string{"pt-BR", "es"}

func catalogue(t *testing.T, tag string) map[string]string {
	t.Helper()
	translations, err := read("catalog/" + tag + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return translations
}

func TestEverySentenceOfTheCodeIsTranslated(t *testing.T) {
	found := sentencesOf(t, "..", "../../services")
	for _, place := range found.vague {
		t.Errorf("%s: the format of a sentence must be a constant: it is the key of its translations", place)
	}
	maps.DeleteFunc(found.said, func(format, _ string) bool { return !words.MatchString(verb.ReplaceAllString(format, "")) })
	if len(found.said) < 80 {
		t.Fatalf("only %d sentences were found in the code", len(found.said))
	}
	for _, tag := range spoken {
		t.Run(tag, func(t *testing.T) {
			translations := catalogue(t, tag)
			for _, format := range slices.Sorted(maps.Keys(found.said)) {
				if translations[format] == "" {
					t.Errorf("%s has no translation in catalog/%s.yaml:\n%q: \"\"", found.said[format], tag, format)
				}
			}
			for key := range translations {
				if _, used := found.said[key]; !used {
					t.Errorf("catalog/%s.yaml: no code says this any more:\n%q", tag, key)
				}
			}
		})
	}
}

func TestTranslationsSayWhatTheSentenceSays(t *testing.T) {
	for _, tag := range spoken {
		for format, translation := range catalogue(t, tag) {
			for _, fault := range faults(format, translation) {
				t.Errorf("catalog/%s.yaml: %s:\n%q\n%q", tag, fault, format, translation)
			}
		}
	}
}

func TestFaultsOfTranslationsAreFound(t *testing.T) {
	for _, c := range []struct{ name, format, translation, want string }{
		{"the same verbs in another order, by number", "%s has %d ships.", "Há %[2]d navios em %[1]s.", ""},
		{"a number that is followed by no number goes on from there", "%s has %d ships.", "%[1]s tem %d navios.", ""},
		{"a percent sign is no argument", "%d%% of %s.", "%d%% de %s.", ""},
		{"a word may be said twice", "Ask %s.", "Pergunte a %[1]s; %[1]s sabe.", ""},
		{"an argument is missing", "%s has %d ships.", "%s tem navios.", "the arguments differ"},
		{"an argument too many", "%s has ships.", "%s tem %d navios.", "the arguments differ"},
		{"an argument of another kind", "%s has %d ships.", "%s tem %q navios.", "the arguments differ"},
		{"arguments swapped", "%s has %d ships.", "Há %d navios em %s.", "the arguments differ"},
		{"a wire word is lost", "Call ver_operacion.", "Chame a operação.", "lacks the wire word ver_operacion"},
		{"a wire word without an underscore is lost", "Send confirmado: true.", "Envie confirmação.", "lacks the wire word confirmado: true"},
		{"it ends otherwise", "Wait.", "Aguarde", "ends otherwise"},
		{"it is not translated", "Wait.", "Wait.", "is not translated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(faults(c.format, c.translation), ", "); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

var (
	verb  = regexp.MustCompile(`%(?:\[(\d+)\])?[-+# 0]*\d*(?:\.\d+)?([a-zA-Z%])`)
	words = regexp.MustCompile(`\pL`)
	// wireWords are what clients and agents read literally, in every language.
	wireWords = regexp.MustCompile(`[a-z]+(?:_[a-z]+)+|detalle\.[a-z]+|confirmado: true|\bconfirmacion\b|/me\b|\bUUID\b|\bJSON\b|\d+`)
)

// faults says what is wrong with a translation.
func faults(format, translation string) (faults []string) {
	if !maps.Equal(arguments(format), arguments(translation)) {
		faults = append(faults, "the arguments differ")
	}
	for _, word := range wireWords.FindAllString(verb.ReplaceAllString(format, ""), -1) {
		if !strings.Contains(translation, word) {
			faults = append(faults, "lacks the wire word "+word)
		}
	}
	if ending(format) != ending(translation) {
		faults = append(faults, "ends otherwise")
	}
	if format == translation {
		faults = append(faults, "is not translated")
	}
	return faults
}

// ending is the punctuation at the end; parts of sentences have none.
func ending(text string) string {
	last, _ := utf8.DecodeLastRuneInString(text)
	if unicode.IsLetter(last) || unicode.IsDigit(last) {
		return ""
	}
	return string(last)
}

// arguments are the verbs of the arguments that a format uses, by their number.
func arguments(format string) map[int]string {
	used, next := map[int]string{}, 1
	for _, match := range verb.FindAllStringSubmatch(format, -1) {
		if match[2] == "%" {
			continue
		}
		if number, err := strconv.Atoi(match[1]); err == nil {
			next = number
		}
		if before, twice := used[next]; twice && before != match[2] {
			match[2] = fmt.Sprintf("%s and %s", before, match[2])
		}
		used[next] = match[2]
		next++
	}
	return used
}
