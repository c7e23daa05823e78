// Package toolsearch owns how a person's words find a tool: by its name, title,
// description and the names of its fields, in English, Portuguese and Spanish,
// with accents or without, and with a slip of the finger. Who may use which tool
// is the caller's business, and so is how a tool is shown.
package toolsearch

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// What a word is worth by where it stands. A name says what a tool is for, a
// description also says what it is not for.
const (
	inName        = 4.0
	inTitle       = 2.0
	inField       = 1.0
	inDescription = 0.8
)

// leastShare is the part of the best tool's score that another one needs to be
// worth showing.
const leastShare = 0.3

// Index is the words of a list of tools. It is read-only once made.
type Index struct {
	words   *vocabulary
	entries []entry
	spread  map[string]int // in how many tools a word stands
	known   []string       // every word, sorted
}

type entry struct {
	tool   *catalog.Tool
	name   []string           // the words of its name
	weight map[string]float64 // every word and what it is worth
}

// New makes the index of tools.
func New(tools []*catalog.Tool) (*Index, error) {
	words, err := loadVocabulary()
	if err != nil {
		return nil, err
	}
	x := &Index{words: words, spread: map[string]int{}}
	for _, t := range tools {
		e := entry{tool: t, name: split(t.Name), weight: map[string]float64{}}
		e.add(e.name, inName)
		e.add(split(t.Title), inTitle)
		e.add(split(t.Description), inDescription)
		for _, field := range fieldsOf(t) {
			e.add(split(field), inField)
		}
		for word := range e.weight {
			x.spread[word]++
		}
		x.entries = append(x.entries, e)
	}
	for word := range x.spread {
		x.known = append(x.known, word)
	}
	slices.Sort(x.known)
	return x, nil
}

func (e *entry) add(words []string, worth float64) {
	for _, word := range words {
		e.weight[word] = max(e.weight[word], worth)
	}
}

// fieldsOf are the names of a tool's arguments and of all that is in them.
func fieldsOf(t *catalog.Tool) []string {
	if t.Input == nil {
		return nil
	}
	var schema any
	if json.Unmarshal(t.Input.Full, &schema) != nil {
		return nil
	}
	var names []string
	var walk func(node any)
	walk = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, element := range node {
				walk(element)
			}
		case map[string]any:
			if props, ok := node["properties"].(map[string]any); ok {
				for name := range props {
					names = append(names, name)
				}
			}
			for _, value := range node {
				walk(value)
			}
		}
	}
	walk(schema)
	return names
}

type found struct {
	tool  *catalog.Tool
	score float64
}

// Find gives the tools that keep lets through and the words fit, best first and
// by name where they fit alike. Words that say nothing find nothing.
func (x *Index) Find(words string, keep func(*catalog.Tool) bool) []*catalog.Tool {
	terms := x.terms(words)
	if len(terms) == 0 {
		return nil
	}
	var all []found
	for _, e := range x.entries {
		if keep(e.tool) {
			if score := x.score(e, terms); score > 0 {
				all = append(all, found{e.tool, score})
			}
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.tool.Name, b.tool.Name))
	})
	var tools []*catalog.Tool
	for _, f := range all {
		if f.score >= leastShare*all[0].score {
			tools = append(tools, f.tool)
		}
	}
	return tools
}

// score adds up what each term is worth in the tool. A tool that has all of them
// beats one that has a rare one, and of two with the same words the one whose
// name says nothing more wins.
func (x *Index) score(e entry, terms []term) float64 {
	sum, met := 0.0, 0
	named := map[string]bool{}
	for _, t := range terms {
		best, by := 0.0, ""
		for word, likeness := range t {
			worth := e.weight[word] * likeness * x.rarity(word)
			if worth > best || worth == best && worth > 0 && word < by {
				best, by = worth, word
			}
		}
		if best > 0 {
			met++
			sum += best
			named[by] = true
		}
	}
	if met == 0 {
		return 0
	}
	more := 0
	for _, word := range e.name {
		if !named[word] {
			more++
		}
	}
	return sum * float64(met) / float64(len(terms)) / (1 + 0.06*float64(more))
}

func (x *Index) rarity(word string) float64 {
	return math.Log(1 + float64(len(x.entries))/float64(max(1, x.spread[word])))
}
