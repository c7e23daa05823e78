package local

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
)

// Config is all there is to set.
type Config struct {
	Home     string // the data folder
	PortBase int    // every port counts from here
}

// Defaults is ./.comporta and 8100 (contract §1).
func Defaults() Config { return Config{Home: ".comporta", PortBase: 8100} }

// FromEnv is Defaults with COMPORTA_HOME and COMPORTA_PORT_BASE.
func FromEnv(getenv func(string) string) (Config, error) {
	cfg := Defaults()
	if home := getenv("COMPORTA_HOME"); home != "" {
		cfg.Home = home
	}
	if base := getenv("COMPORTA_PORT_BASE"); base != "" {
		number, err := strconv.Atoi(base)
		if err != nil {
			return Config{}, fmt.Errorf("COMPORTA_PORT_BASE must be a number, not %q", base)
		}
		cfg.PortBase = number
	}
	return cfg, cfg.validate()
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
