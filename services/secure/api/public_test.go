package api_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/services/internal/publicapi"
	"github.com/comporta-mcp/comporta/services/secure/api"
)

var ofThisArea = publicapi.Under(
	"/workspace/dns/zones", "/workspace/firewalls", "/workspace/network_lists", "/workspace/tls", "/workspace/wafs",
)

func TestFactsEqualThePublicDocument(t *testing.T) {
	publicapi.Compare(t, api.Documents, publicapi.Area{Owns: ofThisArea, Deviations: []publicapi.Deviation{publicapi.Variables}})
}
