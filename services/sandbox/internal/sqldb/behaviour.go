package sqldb

import (
	"context"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/engine"
)

// Execute is execute_query: the statements of the body, on the database of the path.
func (d *Databases) Execute(act *engine.Action) (map[string]any, error) {
	list, _ := act.Body["statements"].([]any)
	statements := make([]string, len(list))
	for i, statement := range list {
		statements[i], _ = statement.(string)
	}
	result, err := d.Run(context.Background(), act.Account, act.Path[0], statements)
	if err != nil {
		return nil, err
	}
	return map[string]any{"columns": result.Columns, "rows": result.Rows}, nil
}
