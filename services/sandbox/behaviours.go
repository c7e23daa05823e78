package sandbox

import (
	"github.com/comporta-mcp/comporta/services/sandbox/internal/certificate"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/credential"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/deployment"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/dnszone"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/engine"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/purge"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/sqldb"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/unique"
)

// behaviours is what the platform does beyond its documents, by the template of a
// collection or by operationId.
func behaviours(databases *sqldb.Databases) map[string]engine.Behaviour {
	return map[string]engine.Behaviour{
		"/workspace/dns/zones":                           {Check: unique.Field("domain")},
		"/workspace/dns/zones/{zone_id}/dnssec":          {Check: dnszone.CheckDNSSEC, Show: dnszone.ShowDNSSEC},
		"/workspace/dns/zones/{zone_id}/records":         {Check: dnszone.CheckRecord},
		"/workspace/sql/databases":                       {Check: unique.Field("name"), Gone: databases.Drop},
		"/workspace/storage/credentials":                 {Check: credential.Check, Show: credential.Show},
		"/workspace/tls/certificates":                    {Check: certificate.Check, Show: certificate.Show},
		"/workspace/tls/crls":                            {Check: certificate.CheckRevocationList},
		"/workspace/workloads/{workload_id}/deployments": {Check: deployment.Check},
		"execute_query":                                  {Act: databases.Execute},
		"create_purge_request":                           {Act: purge.Request},
	}
}

// references are the fields that name other resources.
func references() []engine.Reference {
	const (
		applications = "/workspace/applications"
		application  = applications + "/{application_id}"
		certificates = "/workspace/tls/certificates"
		connectors   = "/workspace/connectors"
		firewalls    = "/workspace/firewalls"
		firewall     = firewalls + "/{firewall_id}"
		deployments  = "/workspace/workloads/{workload_id}/deployments"
		functions    = "/workspace/functions"
		streams      = "/workspace/stream/streams"
		workloads    = "/workspace/workloads"
	)
	return []engine.Reference{
		{From: application + "/functions", Field: "function", To: functions},
		{From: application + "/request_rules", Field: "behaviors[type=run_function].attributes.value", To: application + "/functions"},
		{From: application + "/request_rules", Field: "behaviors[type=set_cache_policy].attributes.value", To: application + "/cache_settings"},
		{From: application + "/request_rules", Field: "behaviors[type=set_connector].attributes.value", To: connectors},
		{From: application + "/response_rules", Field: "behaviors[type=run_function].attributes.value", To: application + "/functions"},
		{From: certificates, Field: "source_certificate", To: certificates},
		{From: connectors, Field: "attributes.bucket", To: "/workspace/storage/buckets"},
		{From: deployments, Field: "strategy.attributes.application", To: applications},
		{From: deployments, Field: "strategy.attributes.custom_page", To: "/workspace/custom_pages"},
		{From: deployments, Field: "strategy.attributes.firewall", To: firewalls},
		{From: firewall + "/functions", Field: "function", To: functions},
		{From: firewall + "/request_rules", Field: "behaviors[type=run_function].attributes.value", To: firewall + "/functions"},
		{From: firewall + "/request_rules", Field: "behaviors[type=set_waf].attributes.waf_id", To: "/workspace/wafs"},
		{From: streams, Field: "inputs[].attributes.data_source", To: "/workspace/stream/data_sources"},
		{From: streams, Field: "transform[type=filter_workloads].attributes.workloads[]", To: workloads},
		{From: streams, Field: "transform[type=render_template].attributes.template", To: "/workspace/stream/templates"},
		{From: workloads, Field: "tls.certificate", To: certificates},
		{From: workloads, Field: "mtls.config.certificate", To: certificates},
		{From: workloads, Field: "mtls.config.crl[]", To: "/workspace/tls/crls"},
		{From: "/workspace/custom_pages", Field: "pages[].page.attributes.connector", To: connectors},
		{From: "/workspace/storage/credentials", Field: "buckets[]", To: "/workspace/storage/buckets"},
	}
}
