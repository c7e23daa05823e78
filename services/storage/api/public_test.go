package api_test

import (
	"regexp"
	"testing"

	"github.com/comporta-mcp/comporta/services/internal/publicapi"
	"github.com/comporta-mcp/comporta/services/storage/api"
)

var ofThisArea = publicapi.Under("/workspace/storage", "/workspace/sql")

var deviations = []publicapi.Deviation{
	{
		Place: regexp.MustCompile(`^execute_query\.body\.content\.application/json\.properties\.statements\.minItems: `),
		Why: "no statement at all is a mistake that the caller can mend, and no call to ask a person's confirmation for; " +
			"the public document sets no least number",
	},
	{
		Place: regexp.MustCompile(`^(create|update)_object_key\.body\.required: `),
		Why: "without a body the platform stores an empty object; a forgotten argument must not empty one that is there, " +
			"so that an empty content has to be said",
	},
	{
		Place: regexp.MustCompile(`^list_objects\.parameters\.query max_object_count\.schema\.maximum: `),
		Why:   "the public document says the limit in its prose only",
	},
	{
		Place: regexp.MustCompile(`^copy_object_key\.body: `),
		Why:   "the public body is optional and has no field: it would become an argument that means nothing",
	},
}

func TestFactsEqualThePublicDocument(t *testing.T) {
	publicapi.Compare(t, api.Documents, publicapi.Area{
		Owns:       ofThisArea,
		Beyond:     publicapi.Under("/workspace/storage/credentials", "/workspace/kv/namespaces"),
		Deviations: deviations,
	})
}
