package audience

import (
	"slices"
	"strings"
)

// The two scopes of an area are its name and one of these (contract §4).
const (
	read  = ":read"
	write = ":write"
)

// tolerated are scopes that clients add by themselves; they mean nothing here.
var tolerated = []string{"offline_access", "openid", "profile", "email"}

// Asked is what a scope parameter asks for.
type Asked struct {
	Areas  []string // in the order of Areas.Names
	Writes bool
	// Unknown: it names scopes, and none of them means anything here.
	Unknown bool
}

// Asked reads a scope parameter. Unknown scopes are dropped.
func (a *Areas) Asked(scope string) Asked {
	var asked Asked
	words, known := strings.Fields(scope), 0
	for _, name := range a.names {
		reads, writes := slices.Contains(words, name+read), slices.Contains(words, name+write)
		if reads || writes {
			asked.Areas = append(asked.Areas, name)
			known++
		}
		asked.Writes = asked.Writes || writes
	}
	for _, word := range words {
		if slices.Contains(tolerated, word) {
			known++
		}
	}
	asked.Unknown = len(words) > 0 && known == 0
	return asked
}

// Scope is the scope parameter for these areas.
func Scope(areas []string, readOnly bool) string {
	var words []string
	for _, area := range areas {
		words = append(words, area+read)
		if !readOnly {
			words = append(words, area+write)
		}
	}
	return strings.Join(words, " ")
}

// Supported are all scopes there are.
func (a *Areas) Supported() []string { return strings.Fields(Scope(a.names, false)) }
