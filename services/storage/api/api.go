// Package api holds the OpenAPI documents of the storage area. Each operation is
// one tool; its x-mcp says what OpenAPI cannot. The package has the documents
// and nothing else: pkg/catalog turns them into tools, and the sandbox serves
// the very same ones.
package api

import "embed"

// Documents are the area's OpenAPI documents: buckets with their objects, and SQL.
//
//go:embed *.yaml
var Documents embed.FS
