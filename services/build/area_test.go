package build_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/services/build"
	"github.com/comporta-mcp/comporta/services/internal/areatest"
)

func TestTheArea(t *testing.T) {
	areatest.Check(t, build.Area, 70) // the operations of the seven documents
}
