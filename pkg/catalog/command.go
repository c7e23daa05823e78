package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog/internal/shape"
	"github.com/comporta-mcp/comporta/pkg/statement"
)

// Harmless reports whether the tool's rule clears this call: then it changes
// nothing and needs no confirmation.
func (t *Tool) Harmless(args map[string]any) bool {
	if t.Unless == nil || t.Unless.Rule != SQLRead {
		return false
	}
	statements := textsOf(args[t.Unless.Arg])
	return len(statements) > 0 && !slices.ContainsFunc(statements, func(s string) bool { return !statement.Reads(s) })
}

// textsOf are the texts of a text or a list; nil where something else is among them.
func textsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, element := range v {
			text, ok := element.(string)
			if !ok {
				return nil
			}
			out = append(out, text)
		}
		return out
	}
	return nil
}

// Patience is how long a command may run; 0 for a tool that runs none.
func (t *Tool) Patience(args map[string]any) time.Duration {
	if !t.Command {
		return 0
	}
	seconds := int64(DefaultPatience)
	if _, said := args[ArgPatience].(json.Number); said {
		seconds = min(max(whole(args[ArgPatience]), MinPatience), MaxPatience)
	}
	return time.Duration(seconds) * time.Second
}

// commandProps are the arguments of a tool that runs commands.
func (o *operation) commandProps() []shape.Prop {
	if !o.rules.command {
		return nil
	}
	return []shape.Prop{{Name: ArgPatience, Shape: shape.NewInteger(
		"How long it may run, 10 to 300 seconds; default 30.", MinPatience, MaxPatience)}}
}

// State is what a resource shows of the end of an operation.
type State int

const (
	Working State = iota
	Done
	Failed
)

// Judge reads the state in an answer, and the word that tells it.
func (u *Until) Judge(answer map[string]any) (State, string) {
	var v any = answer
	for name := range strings.SplitSeq(u.Field, ".") {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	if v == nil {
		return Working, ""
	}
	word := fmt.Sprint(v)
	switch {
	case slices.Contains(u.OK, word):
		return Done, word
	case slices.Contains(u.Failed, word):
		return Failed, word
	}
	return Working, word
}
