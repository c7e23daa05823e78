// Package storage is the storage area: objects, SQL databases and key-value namespaces.
package storage

import (
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/internal/instructions"
	"github.com/comporta-mcp/comporta/services/storage/api"
)

// Area is storage-mcp.
var Area = host.Area{
	Name:      "storage",
	Title:     "Storage",
	Version:   "0.1.0",
	Summary:   "Keep and read data: objects in buckets, SQL databases, key-value namespaces. The tools of this area are being added; until then it has the common tools only.",
	Documents: api.Documents,
	Instructions: instructions.Text(
		"Storage area: objects in buckets, SQL databases and key-value namespaces. Its tools are being added; so far it has the common tools.",
		"Say openly that this area cannot read or store data yet.",
	),
	Profiles: []host.Profile{
		{
			Name:         "objects",
			Title:        "Objects",
			Summary:      "Buckets and objects; their tools are being added.",
			Instructions: instructions.Text("Objects: buckets and what is in them. The tools are being added; so far there are the common tools."),
		},
		{
			Name:         "sql",
			Title:        "SQL",
			Summary:      "SQL databases; their tools are being added.",
			Instructions: instructions.Text("SQL: databases and statements on them. The tools are being added; so far there are the common tools."),
		},
		{
			Name:         "kv",
			Title:        "Key-value",
			Summary:      "Key-value namespaces; their tools are being added.",
			Instructions: instructions.Text("Key-value: namespaces and their keys. The tools are being added; so far there are the common tools."),
		},
	},
	Examples: []host.Example{
		{Ask: "How far is the operation that you began on the build host?", Tool: "ver_operacion"},
		{Ask: "What may you change here?", Tool: "ver_contexto_inicial"},
	},
}
