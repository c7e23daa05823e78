package publicapi

import (
	"path"
	"strings"
)

// roots are the paths that name one root resource, with the kind by which a
// link is given it (contract §4). Deleting one wants its exact name (§5).
var roots = map[string]string{
	"/workspace/applications/{application_id}":     "application",
	"/workspace/connectors/{connector_id}":         "connector",
	"/workspace/dns/zones/{zone_id}":               "zone",
	"/workspace/firewalls/{firewall_id}":           "firewall",
	"/workspace/functions/{function_id}":           "function",
	"/workspace/network_lists/{network_list_id}":   "network_list",
	"/workspace/kv/namespaces/{namespace}":         "namespace",
	"/workspace/sql/databases/{database_id}":       "database",
	"/workspace/storage/buckets/{bucket_name}":     "bucket",
	"/workspace/stream/streams/{stream_id}":        "stream",
	"/workspace/tls/certificates/{certificate_id}": "certificate",
	"/workspace/wafs/{waf_id}":                     "waf",
	"/workspace/workloads/{workload_id}":           "workload",
}

// human are the paths whose deletion a person must agree to (contract §5).
var human = map[string]bool{
	"/workspace/applications/{application_id}":           true,
	"/workspace/dns/zones/{zone_id}":                     true,
	"/workspace/dns/zones/{zone_id}/records/{record_id}": true,
	"/workspace/firewalls/{firewall_id}":                 true,
	"/workspace/sql/databases/{database_id}":             true,
	"/workspace/storage/buckets/{bucket_name}":           true,
	"/workspace/tls/certificates/{certificate_id}":       true,
	"/workspace/workloads/{workload_id}":                 true,
}

// effect is what a call of a method does, unless the area says otherwise: the
// order that a re-ordering replaces is lost.
func effect(op Operation) string {
	switch {
	case op.Method == "get":
		return "read"
	case op.Method == "delete", strings.HasSuffix(op.Path, "/order"):
		return "destructive"
	default:
		return "write"
	}
}

// confirmation is what x-mcp confirm must say of an operation with an effect.
func confirmation(op Operation, effect string) any {
	switch {
	case op.Method == "delete" && roots[op.Path] != "":
		return "name"
	case op.Name() == "execute_query": // contract §5: SQL statements that are not reads
		return Object{"unless": "sql-read", "arg": "statements"}
	case effect == "destructive":
		return true
	default:
		return nil
	}
}

// makers are the paths that make a root resource away from its own path.
var makers = map[string]string{
	"/workspace/tls/csr": "certificate",
}

// kind is the root resource that a path makes, lists or is part of, "" where
// it is none's.
func kind(of string) string {
	for root, kind := range roots {
		if Under(path.Dir(root))(of) {
			return kind
		}
	}
	return makers[of]
}
