package storage_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/services/internal/areatest"
	"github.com/comporta-mcp/comporta/services/storage"
)

func TestWhatClientsSeeOfEveryTool(t *testing.T) { areatest.Snapshots(t, storage.Area) }
