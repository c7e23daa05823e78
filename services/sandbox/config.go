package sandbox

import (
	"errors"
	"log/slog"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/listing"
)

// Config is the sandbox's configuration.
type Config struct {
	Listen  string `key:"listen" help:"address to listen on; port 0 takes a free one"`
	DataDir string `key:"data-dir" help:"folder of all that the sandbox keeps"`
	// PendingFor is how long what the documents answer with 202 stays pending; 0 means 3 s.
	PendingFor time.Duration `key:"pending-for" help:"how long a change that answers 202 stays pending"`
	// IdempotencyKeys: honour the Idempotency-Key header on writes. Off, as the
	// platform documents none.
	IdempotencyKeys bool `key:"idempotency-keys" help:"answer a write with a known Idempotency-Key as the first one was"`
	// MaxPageSize bounds page_size; 0 means the platform's 100.
	MaxPageSize int `key:"max-page-size" help:"largest page of a list"`
	// MaxBody bounds a request's body in bytes; 0 means 64 MiB. Larger ones get 413.
	MaxBody int64 `key:"max-body" help:"largest request body in bytes"`
	// Log takes one line for each request; nil discards them.
	Log *slog.Logger `key:"-"`
}

// Defaults is the configuration of a sandbox of its own on this machine.
func Defaults() Config {
	return Config{Listen: "127.0.0.1:8110", DataDir: ".comporta/sandbox"}.withDefaults()
}

// Validate tells every fault at once.
func (c Config) Validate() error {
	var errs []error
	if c.DataDir == "" {
		errs = append(errs, errors.New("data-dir: a folder is needed"))
	}
	if c.PendingFor < 0 {
		errs = append(errs, errors.New("pending-for: it must not be negative"))
	}
	if c.MaxPageSize < 0 {
		errs = append(errs, errors.New("max-page-size: it must not be negative"))
	}
	if c.MaxBody < 0 {
		errs = append(errs, errors.New("max-body: it must not be negative"))
	}
	return errors.Join(errs...)
}

func (c Config) withDefaults() Config {
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	if c.PendingFor == 0 {
		c.PendingFor = 3 * time.Second
	}
	if c.MaxPageSize == 0 {
		c.MaxPageSize = listing.MaxPageSize
	}
	if c.MaxBody == 0 {
		c.MaxBody = 64 << 20
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
