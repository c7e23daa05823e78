package api_test

import (
	"regexp"
	"testing"

	"github.com/comporta-mcp/comporta/services/build/api"
	"github.com/comporta-mcp/comporta/services/internal/publicapi"
)

var ofThisArea = publicapi.Under("/workspace/applications", "/workspace/functions", "/workspace/workloads",
	"/workspace/connectors", "/workspace/custom_pages", "/workspace/purge")

var deviations = []publicapi.Deviation{
	publicapi.Variables,
	{
		Place: regexp.MustCompile(`^retrieve_application_request_rule\.answers\.200\..*\.behaviors\.`),
		Why: "the public document answers a request rule with the response phase's behaviors, which lack deny and others; " +
			"its list and its update of the same rule answer the request phase's",
	},
	{
		Place: regexp.MustCompile(`^(create|update)_connector\.body\.required: `),
		Why: "the public document lets the body be left out and yet requires fields in it; where it may be left out, a tool " +
			"list cannot tell an agent what is required",
	},
}

func TestFactsEqualThePublicDocument(t *testing.T) {
	publicapi.Compare(t, api.Documents, publicapi.Area{
		Owns:       ofThisArea,
		Beyond:     publicapi.Under("/workspace/workloads/{workload_id}/deployments"),
		Deviations: deviations,
	})
}
