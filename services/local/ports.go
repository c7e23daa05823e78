package local

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
)

// Offsets from the port base (contract §1 for the first seven).
const (
	authPort     = 0
	docsPort     = 1
	buildPort    = 2
	securePort   = 3
	observePort  = 4
	storagePort  = 5
	platformPort = 10
	natsPort     = 11
	authGRPCPort = 12
	adminPort    = 20 // + the service's place in adminOrder
)

// adminOrder is whose metrics are on which admin port.
var adminOrder = []string{"auth", "docs", "build", "secure", "observe", "storage", "worker"}

// ports names every port that the process listens on, by the service that does.
func ports(base int) map[string]int {
	all := map[string]int{
		"auth":           base + authPort,
		"docs-mcp":       base + docsPort,
		"build-mcp":      base + buildPort,
		"secure-mcp":     base + securePort,
		"observe-mcp":    base + observePort,
		"storage-mcp":    base + storagePort,
		"platform":       base + platformPort,
		"NATS":           base + natsPort,
		"auth over gRPC": base + authGRPCPort,
	}
	for i, name := range adminOrder {
		all[name+" metrics"] = base + adminPort + i
	}
	return all
}

// checkFree says which ports are taken, all at once.
func checkFree(base int) error {
	var errs []error
	all := ports(base)
	for _, name := range slices.SortedFunc(maps.Keys(all), func(a, b string) int { return all[a] - all[b] }) {
		listener, err := net.Listen("tcp", address(all[name]))
		if err != nil {
			errs = append(errs, fmt.Errorf("port %d for %s is taken", all[name], name))
			continue
		}
		_ = listener.Close()
	}
	if len(errs) > 0 {
		return fmt.Errorf("%w\nstop what uses them, or set COMPORTA_PORT_BASE to another base (now %d)", errors.Join(errs...), base)
	}
	return nil
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func httpURL(port int) string { return "http://" + address(port) }
