// Package manual is the user's manual, in English and Brazilian Portuguese. People
// read it at docs/manual; docs-mcp searches it. test/peers runs its commands.
package manual

import "embed"

// Pages are Markdown files, in a folder per language.
//
//go:embed en/*.md pt-BR/*.md
var Pages embed.FS
