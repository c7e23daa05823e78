// Package secure is the secure area: firewalls, network lists, WAF, DNS and certificates.
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
	Version:   "0.1.0",
	Summary:   "Decide who gets in and how: firewalls and network lists, WAF, DNS zones, certificates. The tools of this area are being added; until then it has the common tools only.",
	Documents: api.Documents,
	Instructions: instructions.Text(
		"Secure area: firewalls, network lists, WAF, DNS zones and certificates. Its tools are being added; so far it has the common tools.",
		"Say openly that this area cannot read or change anything yet; do not look for a way round in another area.",
	),
	Profiles: []host.Profile{
		{
			Name:         "firewall",
			Title:        "Firewall",
			Summary:      "Firewalls and network lists; their tools are being added.",
			Instructions: instructions.Text("Firewall: firewalls, their rules, and network lists. The tools are being added; so far there are the common tools."),
		},
		{
			Name:         "waf",
			Title:        "WAF",
			Summary:      "Web application firewall rule sets; their tools are being added.",
			Instructions: instructions.Text("WAF: rule sets against attacks on web applications. The tools are being added; so far there are the common tools."),
		},
		{
			Name:         "dns",
			Title:        "DNS",
			Summary:      "DNS zones and records; their tools are being added.",
			Instructions: instructions.Text("DNS: zones and records. The tools are being added; so far there are the common tools."),
		},
		{
			Name:         "tls",
			Title:        "TLS",
			Summary:      "Certificates; their tools are being added.",
			Instructions: instructions.Text("TLS: certificates and requests for them. The tools are being added; so far there are the common tools."),
		},
	},
	Examples: []host.Example{
		{Ask: "What may you change about our firewalls?", Tool: "ver_contexto_inicial"},
		{Ask: "Which companies do you act for?", Tool: "listar_empresas"},
	},
}
