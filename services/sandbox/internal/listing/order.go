package listing

import (
	"net/http"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
)

// term is one field to order by.
type term struct {
	field string
	down  bool
}

func parseOrder(op *model.Operation, value string) ([]term, error) {
	var terms []term
	for _, name := range Fields(value) {
		field, down := strings.CutPrefix(name, "-")
		if itemProperty(op, field) == nil {
			return nil, refusal.Parameter(http.StatusBadRequest, "ordering", "There is no field "+field+" to order by.")
		}
		terms = append(terms, term{field: field, down: down})
	}
	return terms, nil
}

// sorted orders items; those that are equal keep their places.
func sorted(items []map[string]any, terms []term) {
	slices.SortStableFunc(items, func(a, b map[string]any) int {
		for _, t := range terms {
			order := compare(a[t.field], b[t.field])
			if t.down {
				order = -order
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
}
