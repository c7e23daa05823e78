package api_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/services/build/api"
	"github.com/comporta-mcp/comporta/services/internal/publicapi"
)

var rules = publicapi.Rules{
	Profiles: map[string][]string{
		"/workspace/applications": {"applications"},
		"/workspace/functions":    {"functions"},
		"/workspace/workloads":    {"delivery"},
		"/workspace/connectors":   {"delivery"},
		"/workspace/custom_pages": {"delivery"},
		"/workspace/purge":        {"delivery"},
	},
	Effects: map[string]string{
		"create_purge_request": "destructive", // contract §5 wants it confirmed like a deletion
	},
	Unfindable: map[string]string{
		"create_purge_request": "nothing lists what was purged",
	},
	Untrusted: map[string][]string{
		"/workspace/functions": {"code"},
		"/workspace/applications/{application_id}/request_rules":  {"description"},
		"/workspace/applications/{application_id}/response_rules": {"description"},
	},
}

func TestEveryOperationFollowsTheContract(t *testing.T) {
	publicapi.CheckRules(t, api.Documents, rules)
}

func TestNamesAndDescriptionsFitAToolList(t *testing.T) {
	publicapi.CheckText(t, api.Documents)
}
