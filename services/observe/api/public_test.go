package api_test

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/services/internal/publicapi"
	"github.com/comporta-mcp/comporta/services/observe/api"
)

var ofThisArea = publicapi.Under("/workspace/stream")

// answeredAddresses is a difference in answers only.
var answeredAddresses = publicapi.Deviation{
	Place: regexp.MustCompile(`\.answers\..*\.outputs\.items\.properties\.attributes\.(oneOf|discriminator\.mapping\.\w+\.properties\.(url|host_url)\.minLength): `),
	Why: "both ways share one schema, and requests take no empty address; the alternatives differ in nothing else, as " +
		"their discriminator tells one by one",
}

var deviations = []publicapi.Deviation{
	answeredAddresses,
	{
		Place: regexp.MustCompile(`\.(inputs|transform)\.items\.(oneOf|discriminator\.mapping\.\w+\.(type|required|properties\.attributes)): `),
		Why: "the public document joins each kind by allOf from parts that refuse each other's fields; ours is what is " +
			"meant, one object. TestKindsEqualTheirJoinedParts compares it",
	},
}

func TestFactsEqualThePublicDocument(t *testing.T) {
	publicapi.Compare(t, api.Documents, publicapi.Area{
		Owns: ofThisArea, Beyond: publicapi.Under("/metrics/folders"), Deviations: deviations,
	})
}

func TestKindsEqualTheirJoinedParts(t *testing.T) {
	ours := map[string]publicapi.Operation{}
	for _, op := range publicapi.Operations(t, api.Documents) {
		ours[op.Name()] = op
	}
	public := publicapi.Public(t, ofThisArea)
	if n := joinParts(public[0].Doc); n == 0 {
		t.Error("the public document joins nothing any more: this test and its deviation can go")
	}
	for _, theirs := range public {
		for _, line := range publicapi.Differences(theirs, ours[theirs.Name()]) {
			if !answeredAddresses.Place.MatchString(line) {
				t.Error(line)
			}
		}
	}
}

// joinParts makes one object of every schema that allOf joins from several, and
// says how many there are.
func joinParts(doc *publicapi.Document) (joined int) {
	schemas := object(object(doc.Root["components"])["schemas"])
	for _, raw := range schemas {
		schema := object(raw)
		parts := list(schema["allOf"])
		if len(parts) < 2 {
			continue
		}
		properties, required := publicapi.Object{}, []any{}
		for _, part := range append(parts, schema) {
			part := object(part)
			if ref, ok := part["$ref"].(string); ok {
				part = object(schemas[path.Base(ref)])
			}
			maps.Copy(properties, object(part["properties"]))
			required = append(required, list(part["required"])...)
		}
		slices.SortFunc(required, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		delete(schema, "allOf")
		schema["type"], schema["properties"], schema["required"] = "object", properties, slices.Compact(required)
		joined++
	}
	return joined
}

func object(value any) publicapi.Object {
	fields, _ := value.(publicapi.Object)
	return fields
}

func list(value any) []any {
	elements, _ := value.([]any)
	return elements
}
