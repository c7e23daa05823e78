// Package model asks a language model behind an OpenAI-compatible endpoint for a
// text. It owns the endpoint's settings, the bounds of one request, and what a
// failure means; what is asked, and what becomes of the answer, is its caller's.
package model

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// Config says which model is asked, and how long and how much at most.
type Config struct {
	// URL is the base URL, such as https://models.example.com/v1; "" means that
	// there is no model.
	URL  string          `help:"base URL of an OpenAI-compatible API, such as https://models.example.com/v1; empty: no model"`
	Name string          `help:"name of the model at that URL"`
	Key  identity.Secret `secret:"true" help:"key for that URL; empty: none is sent"`
	// Timeout bounds one answer of the model.
	Timeout time.Duration `help:"longest time for one answer of the model"`
	// MaxTokens bounds one answer of the model, so that no question costs more.
	MaxTokens int64 `help:"most tokens that one answer of the model may have"`
	Reasoning bool  `help:"the model reasons: it is sent max_completion_tokens and no temperature"`
}

// Defaults is no model, and bounds for the one that is configured.
func Defaults() Config { return Config{Timeout: 20 * time.Second, MaxTokens: 1500} }

// Given reports whether there is a model.
func (c Config) Given() bool { return c.URL != "" }

// Validate lists every fault.
func (c Config) Validate() error {
	var faults []error
	if c.Given() {
		u, err := url.Parse(c.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			faults = append(faults, fmt.Errorf("url must be an http or https URL without user, query and fragment, not %q", c.URL))
		}
		if c.Name == "" {
			faults = append(faults, errors.New("name is missing: which model is asked"))
		}
	}
	if c.Timeout <= 0 {
		faults = append(faults, fmt.Errorf("timeout must be longer than 0, not %s", c.Timeout))
	}
	if c.MaxTokens <= 0 {
		faults = append(faults, fmt.Errorf("max-tokens must be 1 or more, not %d", c.MaxTokens))
	}
	return errors.Join(faults...)
}
