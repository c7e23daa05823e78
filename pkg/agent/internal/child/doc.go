// Package child runs a local MCP server as a child process and speaks
// newline-delimited JSON-RPC with it.
//
// It owns what go-sdk's CommandTransport leaves open: which environment the child
// inherits, its process group, the last lines it wrote to stderr, and a reader
// that survives what real servers print to stdout (CRLF, log lines, blank lines,
// answers longer than the bound). Which servers to start, and when again, is
// decided by package agent.
package child
