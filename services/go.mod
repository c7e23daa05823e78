module github.com/comporta-mcp/comporta/services

go 1.26.0

require (
	github.com/comporta-mcp/comporta/pkg v0.0.0
	github.com/comporta-mcp/comporta/proto v0.0.0
)

require (
	go.etcd.io/bbolt v1.5.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace (
	github.com/comporta-mcp/comporta/pkg => ../pkg
	github.com/comporta-mcp/comporta/proto => ../proto
)
