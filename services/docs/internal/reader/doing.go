package reader

import (
	"strings"
	"unicode"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
)

// What people call the things that an operation does. Sibling operations differ
// by nothing else, so each gets its verbs as words.
var (
	creating   = []string{"create", "add", "new", "register"}
	listing    = []string{"list all", "show all", "which"}
	fetching   = []string{"retrieve", "get one", "details", "read by id", "show"}
	replacing  = []string{"update", "replace", "change whole", "overwrite", "edit"}
	patching   = []string{"update", "partially", "change one field", "edit", "modify", "patch"}
	deleting   = []string{"delete", "remove", "destroy", "erase"}
	firstVerbs = map[string][]string{
		"create": creating, "add": creating, "post": creating, "list": listing, "retrieve": fetching, "get": fetching, "load": fetching,
		"return": fetching, "find": fetching, "update": patching, "put": replacing, "overwrite": replacing, "replace": replacing,
		"partial": patching, "patch": patching, "delete": deleting, "destroy": deleting, "remove": deleting,
	}
)

// Doing gives the words for what an operation does, by its method, and by its
// name where the method does not tell (a POST that purges creates nothing).
func Doing(method, route, name string) []string {
	switch method {
	case "PUT":
		return replacing
	case "PATCH":
		return patching
	case "DELETE":
		return deleting
	case "GET":
		if strings.HasSuffix(route, "}") || strings.HasSuffix(route, "}/") {
			return fetching
		}
		return listing
	}
	for _, word := range strings.Fields(strings.ToLower(spoken(name))) {
		if verbs, ok := firstVerbs[word]; ok {
			return verbs
		}
	}
	return nil
}

// spoken reads an identifier as words: listEdgeFunctions is "list edge functions".
func spoken(identifier string) string {
	var words []string
	analysis.Split(identifier, func(w analysis.Word) {
		if w.Parts == nil {
			words = append(words, w.Whole)
			return
		}
		words = append(words, w.Parts...)
	})
	text := strings.Join(words, " ")
	if text == "" {
		return strings.TrimFunc(identifier, unicode.IsSpace)
	}
	return text
}
