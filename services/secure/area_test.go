package secure_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/services/internal/areatest"
	"github.com/comporta-mcp/comporta/services/secure"
)

func TestTheArea(t *testing.T) {
	areatest.Check(t, secure.Area, 68) // the operations of the five documents
}
