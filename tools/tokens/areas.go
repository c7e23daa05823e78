package main

import (
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/build"
	"github.com/comporta-mcp/comporta/services/docs"
	"github.com/comporta-mcp/comporta/services/observe"
	"github.com/comporta-mcp/comporta/services/secure"
	"github.com/comporta-mcp/comporta/services/storage"
)

// areas are all that is counted, in the order of the table.
var areas = []host.Area{build.Area, secure.Area, observe.Area, storage.Area, docs.Area}
