// Package areamain is the main function of an area server: the five differ in
// their host.Area and in nothing else.
package areamain

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/internal/process"
)

// Main serves an area with the process's arguments and environment until
// SIGINT or SIGTERM, and gives the exit code.
func Main(area host.Area) int { return process.Main(program(area)) }

func program(area host.Area) process.Program[host.Config] {
	area.Build = process.Version
	return process.Program[host.Config]{
		Name:     area.Name + "-mcp",
		About:    area.Summary,
		Defaults: host.Defaults(),
		Run: func(ctx context.Context, cfg host.Config) error {
			return host.Run(ctx, area, cfg, nil)
		},
	}
}
