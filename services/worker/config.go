package worker

import (
	"errors"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/mount"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/telemetry"
)

// Config is the worker's configuration. Start from Defaults; NATS, auth and the
// platform have no default.
type Config struct {
	Auth      identity.ClientConfig
	NATS      bus.Config
	Platform  platform.Config
	Telemetry telemetry.Config

	// APIs are those of all hosts, since their long work is done here.
	APIs []mount.API `key:"apis" help:"the other APIs that hosts serve, as they are configured there (docs/foreign-api.md)"`
	// Documents are the folders that hosts serve in place of their own documents.
	Documents map[string]string `help:"by area, the folder of documents in place of its own, as configured there"`

	DataDir string `help:"folder for the audit spool"`
	// Name must be unique among the workers; a pod's host name is.
	Name string `help:"this worker's name in leases and audit records; empty: the host's name and the process"`
	// Settle must cover the platform's slowest request: a look after it is taken for the truth.
	Settle time.Duration `help:"how long a write of unknown effect may still take effect on the platform"`
	Work   Work
}

// Defaults are the values for production, as far as there are any.
func Defaults() Config {
	return Config{
		Telemetry: telemetry.Defaults(),
		DataDir:   "./data",
		Settle:    30 * time.Second,
		Work:      defaultWork(),
	}
}

// Validate lists all faults of the worker's own settings.
func (c Config) Validate() error {
	var faults []error
	if c.DataDir == "" {
		faults = append(faults, errors.New("data-dir must name a folder"))
	}
	if c.Settle < 0 {
		faults = append(faults, errors.New("settle must not be negative"))
	}
	return errors.Join(faults...)
}
