package mount

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"regexp"
	"strings"
)

const (
	// maxName is the longest name that the catalogue takes.
	maxName = 44
	// hashed is how many hex digits tell shortened names apart.
	hashed = 6
)

var (
	prefixForm  = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9_-]{0,15})?$`)
	nameForm    = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]*$`)
	nameUnclean = regexp.MustCompile(`[^a-zA-Z0-9]+`)
)

// toolName is the name of an operation's tool: its operationId where that can be
// one, else what is left of it, else method and path. What was cut ends in a hash
// of the whole, so that two stay two and each stays itself in every release.
func toolName(prefix, operationID, method, at string) string {
	whole := operationID
	if whole == "" {
		whole = method + " " + at
	}
	name := prefix + operationID
	if operationID == "" || !nameForm.MatchString(name) {
		name = prefix + strings.Trim(nameUnclean.ReplaceAllString(whole, "_"), "_")
		if !nameForm.MatchString(name) {
			name = "op_" + name
		}
	}
	if len(name) > maxName {
		name = shortened(name, whole)
	}
	return name
}

func shortened(name, whole string) string {
	sum := sha256.Sum256([]byte(whole))
	return strings.TrimRight(name[:min(len(name), maxName-hashed-1)], "_-") + "_" + hex.EncodeToString(sum[:])[:hashed]
}

// match reports whether a pattern means a text; * stands for anything, slashes too.
func match(pattern, text string) (bool, error) {
	slashes := strings.NewReplacer("/", "\x00")
	return path.Match(slashes.Replace(pattern), slashes.Replace(text))
}
