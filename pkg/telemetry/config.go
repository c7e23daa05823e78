package telemetry

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

// Config says what a service tells about itself, and where.
type Config struct {
	LogFormat string `help:"json or text"`
	LogLevel  string `help:"debug, info, warn or error"`
	// AdminListen serves /metrics, /healthz and /readyz; "" serves them nowhere.
	AdminListen  string `help:"address of the admin port; empty: none"`
	OTLPEndpoint string `help:"where traces go: http://, https://, grpc:// or grpcs:// and a host; empty: nowhere"`
	TraceEvery   int    `help:"keep one in this many of the traces that begin here; 0 or 1: all"`
	Pprof        bool   `help:"serve /debug/pprof on the admin port"`
	// MaskPatterns are regular expressions of credentials beside those that are known.
	MaskPatterns []string `help:"further patterns of credentials to hide in logs"`
}

// Defaults are the values for production: JSON at level info, admin port 9090.
func Defaults() Config {
	return Config{LogFormat: "json", LogLevel: "info", AdminListen: ":9090"}
}

// Validate lists all faults.
func (c Config) Validate() error {
	var faults []error
	if !slices.Contains([]string{"", "json", "text"}, c.LogFormat) {
		faults = append(faults, fmt.Errorf("log-format must be json or text, not %q", c.LogFormat))
	}
	if _, err := c.level(); err != nil {
		faults = append(faults, err)
	}
	if c.TraceEvery < 0 {
		faults = append(faults, errors.New("trace-every must be 0 or more"))
	}
	if _, err := c.endpoint(); err != nil {
		faults = append(faults, err)
	}
	if _, err := mask.New(c.MaskPatterns...); err != nil {
		faults = append(faults, fmt.Errorf("mask-patterns: %w", err))
	}
	return errors.Join(faults...)
}

func (c Config) level() (slog.Level, error) {
	var level slog.Level
	if c.LogLevel == "" {
		return slog.LevelInfo, nil
	}
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return 0, fmt.Errorf("log-level must be debug, info, warn or error, not %q", c.LogLevel)
	}
	return level, nil
}

// endpoint is nil where no traces are sent.
func (c Config) endpoint() (*url.URL, error) {
	if c.OTLPEndpoint == "" {
		return nil, nil
	}
	u, err := url.Parse(c.OTLPEndpoint)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "grpc", "grpcs"}, u.Scheme) {
		return nil, errors.New("otlp-endpoint must be http://, https://, grpc:// or grpcs:// and a host with its port")
	}
	return u, nil
}
