package token

import (
	"errors"
	"fmt"
	"regexp"
	"time"
)

// Config says what a personal token looks like and how long an answer about
// one is believed.
type Config struct {
	Accept  bool   `help:"accept personal tokens (Authorization: Token)"`
	Pattern string `help:"regular expression that a whole personal token fits"`

	// PositiveLife and NegativeLife are counted from when the platform was asked,
	// and use does not extend them.
	PositiveLife time.Duration `help:"how long the platform's yes is believed; at most 60s"`
	NegativeLife time.Duration `help:"how long the platform's no is believed; at most 10s"`

	Cached int `help:"how many good tokens are remembered; as many bad ones, apart"`
	// Checks bounds the questions to the platform that are under way at once, so
	// that a flood of invented tokens does not become a flood there.
	Checks int `help:"how many tokens are checked at the platform at once"`
}

// The contract's bounds, §3.
const (
	maxPositiveLife = 60 * time.Second
	maxNegativeLife = 10 * time.Second
)

// Defaults leave the time that a slow answer may take (hosts wait 3 s) inside
// the contract's bounds.
func Defaults() Config {
	return Config{
		Accept:       true,
		Pattern:      `^azion[A-Za-z0-9]{35}$`, // contract §3
		PositiveLife: 55 * time.Second,
		NegativeLife: 7 * time.Second,
		Cached:       20_000, // some 10 MB
		Checks:       64,
	}
}

// Validate lists all faults.
func (c Config) Validate() error {
	var faults []error
	if pattern, err := regexp.Compile(c.Pattern); err != nil || c.Pattern == "" {
		faults = append(faults, errors.New("pattern: must be a regular expression"))
	} else if pattern.MatchString("") {
		faults = append(faults, errors.New("pattern: must not fit the empty text"))
	}
	if c.PositiveLife < 0 || c.PositiveLife > maxPositiveLife {
		faults = append(faults, fmt.Errorf("positive-life: must be between 0 and %s", maxPositiveLife))
	}
	if c.NegativeLife < 0 || c.NegativeLife > maxNegativeLife {
		faults = append(faults, fmt.Errorf("negative-life: must be between 0 and %s", maxNegativeLife))
	}
	if c.Cached < 1 || c.Checks < 1 {
		faults = append(faults, errors.New("cached, checks: must be at least 1"))
	}
	return errors.Join(faults...)
}
