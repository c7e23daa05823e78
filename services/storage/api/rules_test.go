package api_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/services/internal/publicapi"
	"github.com/comporta-mcp/comporta/services/storage/api"
)

var rules = publicapi.Rules{
	Profiles: map[string][]string{
		"/workspace/storage": {"objects"},
		"/workspace/sql":     {"sql"},
		"/workspace/kv":      {"kv"},
	},
	Effects: map[string]string{
		"execute_query": "destructive", // what its statements do is not known
	},
	Untrusted: map[string][]string{
		"/workspace/sql/databases/{database_id}/query": {"columns", "rows"},
	},
	Limits: map[string]string{
		"/workspace/sql/databases/{database_id}/query": "sql",
	},
	Unfindable: map[string]string{
		"copy_object_key": "what it makes may have been there before, and the platform takes it again",
		"execute_query":   "it makes nothing that a list shows",
	},
}

func TestEveryOperationFollowsTheContract(t *testing.T) {
	publicapi.CheckRules(t, api.Documents, rules)
}

func TestNamesAndDescriptionsFitAToolList(t *testing.T) {
	publicapi.CheckText(t, api.Documents)
}
