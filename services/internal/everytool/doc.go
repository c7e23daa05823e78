// Package everytool is a test: it calls every tool of the four areas once, through
// MCP, on a whole Comporta with its sandbox, and holds each request to the platform
// and its answer against the platform's own OpenAPI document. What a schema cannot
// make up stands in testdata.
package everytool
