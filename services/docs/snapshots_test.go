package docs_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/services/docs"
	"github.com/comporta-mcp/comporta/services/internal/areatest"
)

func TestWhatClientsSeeOfEveryTool(t *testing.T) { areatest.Snapshots(t, docs.Area) }
