package catalog

import "strings"

// Guide says once what the lists of tools leave out, for the instructions of a
// server: how arguments are told, and what the common ones mean. scheme is that
// of the resources.
func Guide(scheme string) string {
	return strings.ReplaceAll(guide, "{scheme}", scheme)
}

const guide = `How to read the tools:
- {name, size?: integer, kind: a|b, parts: [{id: integer}]} in a description is what an argument holds: ? may be left out, no type is a text, | is or. The complete schema of a tool is the resource {scheme}://schemas/TOOL; a fault in the arguments is answered with its path and what is allowed.
- filter holds how a list can be narrowed, each key optional: {"filter": {"name": "shop", "fields": "id,name", "ordering": "-id"}}. A name is looked for as a part; a__gte/__lte are a__gte and a__lte, from and to; … stands for fields (the only ones to answer), ordering (a field, reversed by -) and search (words). limit is 50 by default and 200 at most, page counts from 1.
- An id called thing_id comes from the tool that lists things.
- A tool update_ sets every field anew, and what is left out gets its default; partial_update_ changes only what you send. What both take means what it means to create_.
- dry_run: true shows the platform request and changes nothing. idempotency_key is any text of your own: the same call with the same key is carried out once. confirmado: true says that the person agreed to this very call, confirmacion gives the exact name of what it concerns. empresa_id chooses among several companies (listar_empresas).
- "Answers an operation" means that the work goes on after the answer, see ver_operacion; esperar_segundos (0 to 30) waits for its end first.`
