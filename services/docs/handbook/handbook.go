// Package handbook is what is written for agents and their people about these
// servers themselves. docs-mcp searches it; the pages are read on the web, too.
package handbook

import "embed"

// Pages are Markdown files.
//
//go:embed *.md
var Pages embed.FS
