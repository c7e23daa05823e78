package storage_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/services/internal/areatest"
	"github.com/comporta-mcp/comporta/services/storage"
)

func TestTheArea(t *testing.T) {
	areatest.Check(t, storage.Area, 23) // the operations of the four documents
}
