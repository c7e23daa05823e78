// Package answer owns how a tool's answer or problem looks on the wire
// (contract §5): lists cut to 200 elements, the whole cut to 60 000 characters,
// third-party text wrapped, secrets masked. It is pure: no network, no clock,
// no caller, and it never changes what it is given.
package answer

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// Limits of contract §5.
const (
	MaxElements = 200
	MaxChars    = 60_000 // Unicode code points of the answer's text
	MaxOutput   = 20_000 // the same, of a command's answer (contract §8)
)

// reserve is room below MaxChars for what is added to an answer after it was
// shaped: "idempotente": true, limit_ajustado and the like, or the view of the
// operation whose result it is.
const reserve = 1000

// truncated tells that a command's output is not all of it.
const truncated = "truncated"

// recorte is where a cut answer tells how to get the rest.
const recorte = "recorte"

// cutSuffix names the key beside a cut value; it holds the true total.
const cutSuffix = "_recortado"

// Page is which part of a list was asked for; zero values where nothing was.
type Page struct {
	Limit  int   // elements per page, as applied
	Number int   // from 1
	Part   *Part // of a resource, already taken; nil: all of it
}

// Shape makes a tool's answer fit for an agent: secrets masked, lists cut,
// third-party text wrapped, and all of it small enough. The result is new and
// shares no container with value.
func Shape(t *catalog.Tool, value map[string]any, page Page) map[string]any {
	shaped := Hide(t, value)
	if shaped == nil {
		shaped = map[string]any{}
	}
	cut := cutLists(shaped, t.List)
	if cut && t.Command {
		shaped[truncated] = true
	}
	if isContent(t) {
		shaped = cutContent(shaped)
	}
	for _, path := range t.Untrusted {
		shaped, _ = edit(shaped, parsePath(path), func(v any) any { return wrap(path, v) }).(map[string]any)
	}
	out := fit(shaped, t, page)
	if _, fitted := out[recorte]; page.Part == nil && t.InParts() && (cut || fitted) {
		if more := goOn(Hide(t, value), out); more != nil {
			out[recorte] = more
		}
	}
	if page.Part != nil {
		page.Part.note(Hide(t, value), out)
	}
	return out
}

// Text is value as JSON on one line, as it stands in content[0]. An answer that
// cannot be JSON (a NaN, a channel) is a fault of the tool that made it.
func Text(value map[string]any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", fmt.Errorf("encode an answer: %w", err)
	}
	return string(bytes.TrimSuffix(out.Bytes(), []byte{'\n'})), nil
}
