// Package embedding finds passages by meaning, with vectors of an
// OpenAI-compatible endpoint. It owns that endpoint's settings and bounds, the
// vectors, and the distance between them; how its answers join those of the
// search by words is the search tool's business.
package embedding

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// Config says which model is asked.
type Config struct {
	URL  string          `help:"base URL of an OpenAI-compatible API with embeddings, such as https://models.example.com/v1; empty: none"`
	Name string          `help:"name of the embedding model at that URL"`
	Key  identity.Secret `secret:"true" help:"key for that URL; empty: none is sent"`
	// Timeout bounds one request; a search that waits longer goes by words alone.
	Timeout time.Duration `help:"longest time for one answer of the model"`
}

// Defaults is no model, and a bound for the one that is configured.
func Defaults() Config { return Config{Timeout: 5 * time.Second} }

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
	return errors.Join(faults...)
}
