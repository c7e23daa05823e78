package observe_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/services/internal/areatest"
	"github.com/comporta-mcp/comporta/services/observe"
)

func TestWhatClientsSeeOfEveryTool(t *testing.T) { areatest.Snapshots(t, observe.Area) }
