// Package consent owns the form on which a person says how far an agent may go: its
// fields, what comes back, and whether a change gives the agent more than it had. It
// stands on the page of a new approval and on /me; who may use it is theirs.
package consent

import "github.com/comporta-mcp/comporta/services/auth/internal/page"

// areaOf says what an area holds. An area of another deployment speaks by its name.
func areaOf(name string) Area {
	a := Area{Name: name, Title: page.Text("%s", name), Holds: page.Text("The area %s of the platform.", name)}
	switch name {
	case "docs":
		a.Title, a.Holds = page.Text("Docs"), page.Text("Searches documentation and examples; touches nothing of yours.")
	case "build":
		a.Title, a.Holds = page.Text("Build"), page.Text("Applications, functions, workloads, connectors, and what they deliver.")
	case "secure":
		a.Title, a.Holds = page.Text("Secure"), page.Text("Firewalls, WAF, network lists, DNS zones, certificates.")
	case "observe":
		a.Title, a.Holds = page.Text("Observe"), page.Text("Metrics, events, log streams, the platform's audit.")
	case "storage":
		a.Title, a.Holds = page.Text("Storage"), page.Text("Buckets and objects, SQL databases, key-value namespaces.")
	}
	return a
}

// KindTitle is a kind of root resource, in a person's words (contract §4's list).
func KindTitle(kind string) page.Sentence {
	switch kind {
	case "application":
		return page.Text("Applications")
	case "workload":
		return page.Text("Workloads")
	case "function":
		return page.Text("Functions")
	case "connector":
		return page.Text("Connectors")
	case "firewall":
		return page.Text("Firewalls")
	case "waf":
		return page.Text("WAF rule sets")
	case "network_list":
		return page.Text("Network lists")
	case "zone":
		return page.Text("DNS zones")
	case "certificate":
		return page.Text("Certificates")
	case "stream":
		return page.Text("Log streams")
	case "bucket":
		return page.Text("Buckets")
	case "database":
		return page.Text("Databases")
	case "namespace":
		return page.Text("Namespaces")
	default:
		return page.Text("%s", kind)
	}
}
