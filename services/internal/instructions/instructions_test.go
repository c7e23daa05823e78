package instructions_test

import (
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/services/internal/instructions"
)

func TestText(t *testing.T) {
	text := instructions.Text("What it is.", "Second step.", "Third step.")
	at := -1
	for _, part := range []string{"What it is.", "1. Call ver_contexto_inicial first", "2. Second step.", "3. Third step.", "- "} {
		i := strings.Index(text, part)
		if i <= at {
			t.Fatalf("%q is missing or out of place in:\n%s", part, text)
		}
		at = i
	}
}
