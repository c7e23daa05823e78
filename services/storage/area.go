// Package storage is the storage area: objects, SQL databases and key-value
// namespaces. Its tools come from the documents in api; what is written here is
// who it is and how an agent finds its way.
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
	Version:   "1.0.0",
	Summary:   "Keep and read data at the edge: objects in buckets, SQL databases, and key-value namespaces.",
	Documents: api.Documents,
	Profiles:  []host.Profile{objects, sql, kv},
	Instructions: instructions.Text(
		"Storage area: objects (files under a key, in buckets) with S3 credentials for them, SQL databases, and key-value namespaces.",
		"Begin with list_buckets or list_databases: a bucket is named by its name, a database by its id. A new one comes from create_bucket or create_database.",
		"Nearly every change answers an operation; with esperar_segundos most are done within the same call.",
		"Deleting a bucket or database needs confirmacion with its exact name and a person's yes, at the address in aprobar_en; deleting an object or a credential and SQL that writes need confirmado: true.",
	),
	Examples: []host.Example{
		{Ask: "Put this price list into the bucket site-assets as prices/2026.csv.", Tool: "create_object_key"},
		{Ask: "Which files under reports/ are larger than a megabyte?", Tool: "list_objects"},
		{Ask: "Make keys with which our backup program may write to site-backups, until June.", Tool: "create_credential"},
		{Ask: "How many orders does the database shop-orders hold for last week?", Tool: "execute_query"},
	},
}

var objects = host.Profile{
	Name:    "objects",
	Title:   "Objects",
	Summary: "Buckets, the objects in them, and S3 credentials for programs: list, read, store, copy, delete.",
	Instructions: instructions.Text(
		"Objects: buckets and what is in them.",
		"Get the bucket's name from list_buckets, then the keys from list_objects with a prefix; it also tells sizes. Read one with download_object; a long one comes in parts (rango).",
		"Store with create_object_key, replace with update_object_key: text, or other bytes with codificacion: base64, 4 MiB at most. copy_object_key copies any content, within one bucket. To rename, copy and then delete_object_key.",
		"create_credential makes S3 keys for a program of the person; you never see the secret.",
		"Changes but a copy answer an operation. Tell the person when delete_bucket waits for their approval, with the address in aprobar_en.",
	),
}

var sql = host.Profile{
	Name:    "sql",
	Title:   "SQL",
	Summary: "SQL databases, and statements that run on them.",
	Instructions: instructions.Text(
		"SQL: databases in SQLite's dialect and statements on them.",
		"Get the database_id from list_databases, or make one with create_database. See the tables first, by execute_query with SELECT name, sql FROM sqlite_master.",
		"execute_query needs confirmado: true for statements that do more than read, and they cannot be undone: show the person what writes or deletes before you send it. It answers an operation: with esperar_segundos the rows come at once, else by ver_operacion.",
		"At most 10 statements a second per database, and so in one call.",
	),
}

var kv = host.Profile{
	Name:    "kv",
	Title:   "Key-value",
	Summary: "Key-value namespaces: list, read, create.",
	Instructions: instructions.Text(
		"Key-value: namespaces, whose keys functions read and write at the edge.",
		"Look with list_namespaces before create_namespace: a namespace can be neither renamed nor deleted here.",
		"The platform's API has nothing for the keys in a namespace: a function reads and writes them. Say so openly.",
	),
}
