package answer_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/catalog"
)

func TestACommandsOutputIsCutAtTwentyThousandCharacters(t *testing.T) {
	tool := &catalog.Tool{Command: true, Untrusted: []string{"data.rows", "data.columns"}}
	rows := func(n int) map[string]any {
		return obj("state", "executed", "data", obj("columns", []any{"id", "note"},
			"rows", items(n, func(i int) any { return []any{i, strings.Repeat("é", 120)} })))
	}
	for n, cut := range map[int]bool{100: false, 199: true, 5000: true} {
		got := answer.Shape(tool, rows(n), answer.Page{})
		if size := utf8.RuneCountInString(mustText(t, got)); size > answer.MaxOutput {
			t.Errorf("%d rows: %d characters", n, size)
		}
		if _, told := got["truncated"]; told != cut {
			t.Errorf("%d rows: truncated = %v", n, got["truncated"])
		}
		if total := got["data"].(map[string]any)["rows_recortado"]; cut && total != int64(n) {
			t.Errorf("%d rows: rows_recortado = %v", n, total)
		}
	}
}
