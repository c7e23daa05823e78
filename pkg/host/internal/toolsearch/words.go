package toolsearch

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"
)

//go:embed words.yaml
var wordsFile []byte

// vocabulary is what words.yaml says, by the words of people.
type vocabulary struct {
	empty map[string]bool     // words that say nothing about a tool
	means map[string][]string // "apagar": delete
	asked []string            // the keys of means, sorted
}

func loadVocabulary() (*vocabulary, error) {
	var file struct {
		Empty []string            `yaml:"empty"`
		Means map[string][]string `yaml:"means"`
	}
	if err := yaml.Unmarshal(wordsFile, &file); err != nil {
		return nil, fmt.Errorf("read words.yaml: %w", err)
	}
	v := &vocabulary{empty: map[string]bool{}, means: map[string][]string{}}
	for _, line := range file.Empty {
		for _, word := range split(line) {
			v.empty[word] = true
		}
	}
	for tool, people := range file.Means {
		for _, line := range people {
			for _, word := range split(line) {
				v.means[word] = append(v.means[word], split(tool)...)
			}
		}
	}
	for word := range v.means {
		slices.Sort(v.means[word])
		v.asked = append(v.asked, word)
	}
	slices.Sort(v.asked)
	return v, nil
}

// meaning gives the words of tools that a person's word means, with a slip of the
// finger where the word itself is unknown.
func (v *vocabulary) meaning(word string) []string {
	if meant, known := v.means[word]; known {
		return meant
	}
	if len(word) < 5 {
		return nil
	}
	var all []string
	for _, asked := range v.asked {
		if len(asked) >= 5 && near(word, asked, 1) {
			all = append(all, v.means[asked]...)
		}
	}
	return all
}

// maxText bounds what is split: a question or a description is shorter.
const maxText = 4_000

// split gives the words of a text or an identifier: without accents, in lower
// case, in the singular, cut where the case changes.
func split(text string) []string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	var words []string
	var word []rune
	lower := false
	end := func() {
		if len(word) > 0 {
			words = append(words, singular(strings.ToLower(string(word))))
		}
		word, lower = nil, false
	}
	for _, r := range norm.NFD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r): // an accent
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		default:
			if unicode.IsUpper(r) && lower {
				end()
			}
			word, lower = append(word, r), unicode.IsLower(r)
		}
	}
	end()
	return words
}

// singular makes one word of its plural, roughly and in all three languages alike.
func singular(word string) string {
	switch {
	case len(word) <= 3 || !strings.HasSuffix(word, "s") || strings.HasSuffix(word, "ss"):
		return word
	case strings.HasSuffix(word, "ies"):
		return strings.TrimSuffix(word, "ies") + "y"
	case strings.HasSuffix(word, "oes"): // conexões
		return strings.TrimSuffix(word, "oes") + "ao"
	case strings.HasSuffix(word, "ciones"), strings.HasSuffix(word, "siones"):
		return strings.TrimSuffix(word, "es")
	case strings.HasSuffix(word, "dores"), strings.HasSuffix(word, "tores"):
		return strings.TrimSuffix(word, "es")
	}
	return strings.TrimSuffix(word, "s")
}
