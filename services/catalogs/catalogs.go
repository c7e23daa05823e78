// Package catalogs names every area's OpenAPI documents, for the services that
// need them all: the worker, which runs any area's operations, and the sandbox,
// which serves what the documents say.
package catalogs

import (
	"io/fs"

	build "github.com/comporta-mcp/comporta/services/build/api"
	docs "github.com/comporta-mcp/comporta/services/docs/api"
	observe "github.com/comporta-mcp/comporta/services/observe/api"
	secure "github.com/comporta-mcp/comporta/services/secure/api"
	storage "github.com/comporta-mcp/comporta/services/storage/api"
)

// Documents are the documents of each area, by the area's name.
func Documents() map[string]fs.FS {
	return map[string]fs.FS{
		"build":   build.Documents,
		"docs":    docs.Documents,
		"observe": observe.Documents,
		"secure":  secure.Documents,
		"storage": storage.Documents,
	}
}
