// Package api holds the OpenAPI documents of the storage area. Each operation is
// one tool; its x-mcp says what OpenAPI cannot. The package has the documents
// and nothing else: pkg/catalog turns them into tools, and the sandbox serves
// the very same ones.
package api

import (
	"embed"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

//go:embed *.yaml
var files embed.FS

// Documents are the area's OpenAPI documents: buckets with their objects, and SQL.
var Documents = catalog.Keep(files)
