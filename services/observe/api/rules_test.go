package api_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/services/internal/publicapi"
	"github.com/comporta-mcp/comporta/services/observe/api"
)

var rules = publicapi.Rules{
	Profiles:  map[string][]string{"/workspace/stream": {"streams"}, "/metrics": {"metrics"}},
	Untrusted: map[string][]string{"/workspace/stream/templates": {"data_set"}},
}

func TestEveryOperationFollowsTheContract(t *testing.T) {
	publicapi.CheckRules(t, api.Documents, rules)
}

func TestNamesAndDescriptionsFitAToolList(t *testing.T) {
	publicapi.CheckText(t, api.Documents)
}
