package publicapi

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// secretNames are the names of fields that hold a secret wherever they stand.
var secretNames = regexp.MustCompile(`^(private_key|secret_key|access_key|api_key|shared_key|service_account_key|password|passphrase|.*_secret|.*_sas_token)$`)

// plainSecrets names the fields of an operation that hold a secret by their
// name and are not declared so, which would show them in answers and logs.
func plainSecrets(op Operation) []string {
	found := map[string]bool{}
	walk := secretWalk{doc: op.Doc, found: found}
	for _, raw := range list(op.Spec["parameters"]) {
		param := op.Doc.resolve(raw)
		walk.property(fmt.Sprint(param["name"]), param["schema"])
	}
	walk.content(op.Doc.resolve(op.Spec["requestBody"]))
	answers, _ := op.Spec["responses"].(Object)
	for _, raw := range answers {
		walk.content(op.Doc.resolve(raw))
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, fmt.Sprintf("%s holds a secret by its name: say x-mcp: {secret: true} there", name))
	}
	return all
}

type secretWalk struct {
	doc   *Document
	found map[string]bool
}

func (w secretWalk) content(holder Object) {
	content, _ := holder["content"].(Object)
	for _, spec := range content {
		if media, ok := spec.(Object); ok {
			w.schema(media["schema"])
		}
	}
}

func (w secretWalk) property(name string, raw any) {
	schema := w.doc.resolve(raw)
	rules, _ := schema["x-mcp"].(Object)
	if secretNames.MatchString(name) && rules["secret"] != true && schema["format"] != "password" {
		w.found[name] = true
	}
	w.schema(schema)
}

func (w secretWalk) schema(raw any) {
	schema := w.doc.resolve(raw)
	if schema == nil {
		return
	}
	properties, _ := schema["properties"].(Object)
	for name, property := range properties {
		w.property(name, property)
	}
	if items, ok := schema["items"]; ok {
		w.schema(items)
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		for _, part := range list(schema[key]) {
			w.schema(part)
		}
	}
}
