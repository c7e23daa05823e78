package answer

import (
	"fmt"
	"maps"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// wrapperRoom is what a wrapper and rango_siguiente may add to a content.
const wrapperRoom = 600

// cutContent cuts a content of bytes to what fits, and says which bytes it is and
// which range gives what follows: unlike a text among other fields, a content can
// be fetched on.
func cutContent(value map[string]any) map[string]any {
	data, ok := value["data"].(string)
	if !ok {
		return value
	}
	budget := MaxChars - reserve - wrapperRoom - (size(value) - textSize(data))
	if textSize(data) <= budget {
		return value
	}
	short := fitText(data, budget)
	bytes := len(short)
	if value["codificacion"] == catalog.EncodingBase64 {
		short = short[:len(short)/4*4] // four characters are three bytes
		bytes = len(short) / 4 * 3
	}
	out := maps.Clone(value)
	out["data"] = short
	var first int
	if _, err := fmt.Sscanf(fmt.Sprint(value["rango"]), "%d-", &first); err != nil || bytes == 0 {
		return out
	}
	out["rango"] = fmt.Sprintf("%d-%d", first, first+bytes-1)
	out["rango_siguiente"] = fmt.Sprintf("%d-", first+bytes)
	return out
}

// isContent reports whether a tool answers bytes.
func isContent(t *catalog.Tool) bool { return t.Binding != nil && t.Binding.Content }
