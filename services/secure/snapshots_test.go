package secure_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/services/internal/areatest"
	"github.com/comporta-mcp/comporta/services/secure"
)

func TestWhatClientsSeeOfEveryTool(t *testing.T) { areatest.Snapshots(t, secure.Area) }
