// Package secure is the secure area: firewalls, network lists, WAFs, DNS zones
// and certificates. Its tools come from the documents in api; what is written
// here is who it is and how an agent finds its way.
package secure

import (
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/internal/instructions"
	"github.com/comporta-mcp/comporta/services/secure/api"
)

// Area is secure-mcp.
var Area = host.Area{
	Name:      "secure",
	Title:     "Secure",
	Version:   "1.0.0",
	Summary:   "Decide who gets in and how: firewalls with their rules and network lists, WAFs with their exceptions, DNS zones with their records, certificates and revocation lists.",
	Documents: api.Documents,
	Profiles:  []host.Profile{firewall, waf, dns, tls},
	Instructions: instructions.Text(
		"Secure area: firewalls and network lists (who gets in), WAFs (attacks), DNS zones (where a domain leads) and certificates (TLS).",
		"For a new protection go in this order, since a rule needs the ids of what it names: create_network_list, create_waf and create_firewall_function, as needed; create_firewall with the modules they need; then create_firewall_rule. A workload deployment on the build host names the firewall; until then it guards nothing.",
		"To change something, retrieve_ it first and take its partial_update_ tool; its update_ tool replaces every field. Lists such as items, criteria or rdata are replaced whole.",
		"A mistake here shuts visitors out. Begin with mode logging for a WAF, and read the rules with list_firewall_rules before you add one or take order_firewall_rules.",
		"Deleting a zone, a DNS record, a firewall or a certificate waits for a person: give them the address in aprobar_en. Deleting a firewall, network list, WAF, zone or certificate needs confirmacion with its exact name, other deletions confirmado: true.",
	),
	Examples: []host.Example{
		{Ask: "Keep 203.0.113.0/24 out of the shop until the end of the month.", Tool: "create_network_list"},
		{Ask: "The WAF stops our search form. Let it through, and nothing else.", Tool: "create_waf_exception"},
		{Ask: "Point www.example.com at the new address.", Tool: "list_dns_records"},
		{Ask: "Which of our certificates end this month?", Tool: "list_certificates"},
	},
}

var firewall = host.Profile{
	Name:    "firewall",
	Title:   "Firewall",
	Summary: "Firewalls with their rules and function instances, and network lists.",
	Instructions: instructions.Text(
		"Firewall: which requests get in, told by rules, network lists and function instances.",
		"Get the firewall_id from list_firewalls, or make one with create_firewall or clone_firewall.",
		"Make what a rule names before the rule: create_network_list for ${network}, create_firewall_function for run_function. The id for set_waf comes from the waf profile of this host.",
		"Rules run in their order, the lowest first: read it with list_firewall_rules before create_firewall_rule or order_firewall_rules.",
		"To add to a network list, read it with retrieve_network_list and send the old items with the new one to partial_update_network_list.",
		"A firewall guards nothing until a workload deployment on the build host names it.",
	),
}

var waf = host.Profile{
	Name:    "waf",
	Title:   "WAF",
	Summary: "WAFs, which score requests against known attacks, and exceptions from their rules.",
	Instructions: instructions.Text(
		"WAF: which kinds of attack are looked for, how sensitively, and what is excepted.",
		"Get the waf_id from list_wafs, or make one with create_waf or clone_waf. It works once a firewall rule names it with set_waf (firewall profile of this host), first with mode logging.",
		"Where good requests are stopped, take create_waf_exception for the one rule and path that err rather than lowering the sensitivity with partial_update_waf. The events on the observe host name the rule.",
	),
}

var dns = host.Profile{
	Name:    "dns",
	Title:   "DNS",
	Summary: "DNS zones with their records and DNSSEC.",
	Instructions: instructions.Text(
		"DNS: zones, their records and DNSSEC.",
		"Get the zone_id from list_dns_zones, or make a zone with create_dns_zone; the person must then name its nameservers at the registrar.",
		"Read list_dns_records before you change anything: a name and type that exist are changed with partial_update_dns_record, not made again with create_dns_record.",
		"A company may make 10 DNS changes in any minute. On limite_excedido wait reintentar_en_segundos.",
		"delete_dns_zone and delete_dns_record wait for a person, with the address in aprobar_en, and then answer by ver_operacion.",
	),
}

var tls = host.Profile{
	Name:    "tls",
	Title:   "TLS",
	Summary: "Certificates, requests for them, and revocation lists.",
	Instructions: instructions.Text(
		"TLS: certificates that workloads serve or check visitors with, and revocation lists.",
		"Look with list_certificates first: one that covers the host may be there, also by a wildcard.",
		"For a new one take request_certificate (Let's Encrypt; the platform renews it), create_certificate (you have it with its key) or create_certificate_signing_request (another authority signs it; the signed certificate then goes to partial_update_certificate). Requests are limited to one per host name and hour.",
		"A request is an operation: follow it with ver_operacion. When it is ok, the certificate may still wait for its challenge: status of retrieve_certificate tells.",
		"A private key is never shown. Do not ask the person to paste one into the conversation when request_certificate or create_certificate_signing_request will do.",
		"The workload that serves a certificate names its id: that is on the build host.",
	),
}
