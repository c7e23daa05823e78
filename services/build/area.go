// Package build is the build area: applications, functions, and what delivers
// them. Its tools come from the documents in api; what is written here is who it
// is and how an agent finds its way.
package build

import (
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/build/api"
	"github.com/comporta-mcp/comporta/services/internal/instructions"
)

// Area is build-mcp.
var Area = host.Area{
	Name:      "build",
	Title:     "Build",
	Version:   "1.0.0",
	Summary:   "Make and change what runs at the edge: applications with their rules and cache, functions, the connectors content comes from, and the workloads that lead visitors to it.",
	Documents: api.Documents,
	Profiles:  []host.Profile{applications, functions, delivery},
	Instructions: instructions.Text(
		"Build area: applications (what happens to a request), functions (code), connectors (where content comes from), workloads (domains, ports, TLS), custom error pages, and purging the cache.",
		"For something new go in this order, since each step needs the ids of the one before: create_connector; create_application; create_cache_setting and create_function with create_application_function_instance, as needed; then the rules, create_application_request_rule and create_application_response_rule; last create_workload, and create_workload_deployment, which puts the application on it.",
		"To change something, retrieve_ it first and take its partial_update_ tool; its update_ tool replaces every field.",
		"Delete from the outside in: rules before what they name, instances before their function. Deleting an application, function, connector or workload needs confirmacion with its exact name, other deletions and create_purge_request confirmado: true.",
	),
	Examples: []host.Example{
		{Ask: "Put up a site called shop-frontend and keep its pictures in the cache for a day.", Tool: "create_application"},
		{Ask: "Which of our functions does the checkout run, and with which arguments?", Tool: "list_application_function_instances"},
		{Ask: "Open www.example.com on a new workload and tell me when it is ready.", Tool: "create_workload"},
		{Ask: "Put the new firewall in front of the shop.", Tool: "partial_update_workload_deployment"},
		{Ask: "The logo changed: let visitors get the new one at once.", Tool: "create_purge_request"},
	},
}

var applications = host.Profile{
	Name:    "applications",
	Title:   "Applications",
	Summary: "Applications with their cache settings, device groups, function instances and rules.",
	Instructions: instructions.Text(
		"Applications: what happens to a request, told by modules, cache settings, device groups, function instances and rules.",
		"Get the application_id from list_applications, or make one with create_application or clone_application.",
		"Make what a rule names before the rule: create_cache_setting for set_cache_policy, create_application_function_instance for run_function. The id of a function comes from the functions profile of this host.",
		"Request rules run when a request arrives, response rules before the answer leaves. Their order counts: read it with the list tool before you take update_application_request_rules_order or update_application_response_rules_order, which need confirmado: true.",
	),
}

var functions = host.Profile{
	Name:    "functions",
	Title:   "Functions",
	Summary: "The code that runs at the edge.",
	Instructions: instructions.Text(
		"Functions: the code that runs at the edge. A function runs only where an application or a firewall has an instance of it.",
		"Find it with list_functions and fields: id,name,active, so that the answer stays short; read its code with retrieve_function.",
		"Changing a function changes it for every instance at once: reference_count says how many there are. partial_update_function changes the code and leaves the rest.",
	),
}

var delivery = host.Profile{
	Name:    "delivery",
	Title:   "Delivery",
	Summary: "Workloads by which visitors arrive, deployments that say what they get, connectors that content comes from, custom error pages, and purging the cache.",
	Instructions: instructions.Text(
		"Delivery: workloads (domains, ports, TLS, client certificates), deployments (which application, firewall and custom pages a workload delivers), connectors (where content comes from), custom pages (what visitors see on an error), purge (cached content goes).",
		"Find the thing with its list_ tool and read it with its retrieve_ tool before you change it. A connector comes before what names its id: rules of an application by set_connector, and create_custom_page.",
		"A workload delivers nothing until create_workload_deployment names its application; partial_update_workload_deployment puts a firewall in front of it.",
		"Changes of workloads and their deployments answer an operation: follow it with ver_operacion until estado is ok or error. Tell the person when it waits for their approval, with the address in aprobar_en.",
		"A list such as domains, addresses or pages is replaced whole: send the old elements with the new one. Keys of a connector are shown masked: never send the mask back.",
		"create_purge_request needs confirmado: true. Purge single addresses rather than a wildcard: whatever goes is fetched from its origin again.",
	),
}
