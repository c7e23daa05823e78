package local

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/config"
	"github.com/comporta-mcp/comporta/pkg/mount"
	"github.com/comporta-mcp/comporta/services/auth"
	"github.com/comporta-mcp/comporta/services/docs"
	"github.com/comporta-mcp/comporta/services/observe"
)

// Config is all there is to set.
type Config struct {
	Home     string // the data folder
	PortBase int    // every port counts from here
	Own      Own
}

// Own is what areas have to set for their own tools, under the names that their
// binaries know it by.
type Own struct {
	Docs    docs.Config    `key:",inline"`
	Observe observe.Config `key:",inline"`
	// AccessLife is auth's oauth.access-life, so that a client's refresh can be watched.
	AccessLife time.Duration `key:"oauth.access-life" help:"life of an access token"`
	// APIs are other APIs by the area that serves them; see docs/foreign-api.md.
	APIs map[string][]mount.API `key:"apis"`
}

// Defaults is ./.comporta and 8100 (contract §1).
func Defaults() Config {
	return Config{Home: ".comporta", PortBase: 8100, Own: Own{Docs: docs.Defaults(), Observe: observe.Defaults(), AccessLife: auth.Defaults().OAuth.AccessLife}}
}

// FromEnv is Defaults with COMPORTA_HOME, COMPORTA_PORT_BASE and the areas' own
// settings, from variables such as os.Environ gives.
func FromEnv(env []string) (Config, error) {
	cfg := Defaults()
	if err := config.Load(&cfg.Own, config.Options{Name: "comporta", Env: env}); err != nil {
		return Config{}, err
	}
	if home := valueOf(env, "COMPORTA_HOME"); home != "" {
		cfg.Home = home
	}
	if base := valueOf(env, "COMPORTA_PORT_BASE"); base != "" {
		number, err := strconv.Atoi(base)
		if err != nil {
			return Config{}, fmt.Errorf("COMPORTA_PORT_BASE must be a number, not %q", base)
		}
		cfg.PortBase = number
	}
	return cfg, cfg.validate()
}

func valueOf(env []string, name string) (value string) {
	for _, pair := range env {
		if text, ok := strings.CutPrefix(pair, name+"="); ok {
			value = text
		}
	}
	return value
}

func (c Config) validate() error {
	if c.PortBase < 1024 || c.PortBase > 65000 {
		return fmt.Errorf("COMPORTA_PORT_BASE must be between 1024 and 65000, not %d", c.PortBase)
	}
	if c.Home == "" {
		return errors.New("COMPORTA_HOME is empty")
	}
	return nil
}

func (c Config) port(offset int) int { return c.PortBase + offset }

func (c Config) dir(parts ...string) string {
	return filepath.Join(append([]string{c.Home}, parts...)...)
}
