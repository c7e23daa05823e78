// Package areamain is the main function of an area server: the five differ in
// their host.Area, and in the settings that only their own tools have.
package areamain

import (
	"context"
	"os"

	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/internal/process"
)

// Main serves an area with the process's arguments and environment until
// SIGINT or SIGTERM, and gives the exit code.
func Main(area host.Area) int {
	return MainWith(struct{}{}, func(struct{}) host.Area { return area })
}

// MainWith is Main for an area with settings of its own. They stand beside those
// of the host, are checked by their own Validate, and make the area; name and
// summary of the area must not depend on them.
func MainWith[Own any](defaults Own, area func(Own) host.Area) int {
	return process.Main(program(defaults, area))
}

// settings are all that one binary has.
type settings[Own any] struct {
	Host host.Config `key:",inline"`
	Own  Own         `key:",inline"`
}

func program[Own any](defaults Own, area func(Own) host.Area) process.Program[settings[Own]] {
	about := area(defaults)
	return process.Program[settings[Own]]{
		Name:     about.Name + "-mcp",
		About:    about.Summary,
		Defaults: settings[Own]{host.Defaults(), defaults},
		Run: func(ctx context.Context, cfg settings[Own]) error {
			served := area(cfg.Own)
			served.Build = process.Version
			if cfg.Host.Check {
				return host.Check(served, cfg.Host, os.Stdout)
			}
			return host.Run(ctx, served, cfg.Host, nil)
		},
	}
}
