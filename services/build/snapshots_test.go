package build_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/services/build"
	"github.com/comporta-mcp/comporta/services/internal/areatest"
)

func TestWhatClientsSeeOfEveryTool(t *testing.T) { areatest.Snapshots(t, build.Area) }
