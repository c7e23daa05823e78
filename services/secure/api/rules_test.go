package api_test

import (
	"testing"

	"github.com/comporta-mcp/comporta/services/internal/publicapi"
	"github.com/comporta-mcp/comporta/services/secure/api"
)

var rules = publicapi.Rules{
	Profiles: map[string][]string{
		"/workspace/dns":           {"dns"},
		"/workspace/firewalls":     {"firewall"},
		"/workspace/network_lists": {"firewall"},
		"/workspace/tls":           {"tls"},
		"/workspace/wafs":          {"waf"},
	},
	Untrusted: map[string][]string{
		"/workspace/dns/zones/{zone_id}/records":           {"rdata", "description"},
		"/workspace/firewalls/{firewall_id}/request_rules": {"description"},
	},
	// Contract §8: DNS changes per company, certificate requests per host name.
	Limits: map[string]string{
		"/workspace/dns":                      "dns",
		"/workspace/tls/certificates/request": "certificates",
		"/workspace/tls/csr":                  "certificates",
	},
	Long: []string{"request_certificate", "create_certificate_signing_request"}, // contract §6
}

func TestEveryOperationFollowsTheContract(t *testing.T) {
	publicapi.CheckRules(t, api.Documents, rules)
}

func TestNamesAndDescriptionsFitAToolList(t *testing.T) {
	publicapi.CheckText(t, api.Documents)
}
