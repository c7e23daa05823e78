package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox"
)

// Ready is what ready.json says (contract §1).
type Ready struct {
	Auth     string            `json:"auth"`
	Areas    map[string]string `json:"areas"` // each area's /mcp URL
	Platform string            `json:"platform"`
	NATS     string            `json:"nats"`
	Metrics  map[string]string `json:"metrics"` // by service
	Tokens   map[string]string `json:"tokens"`  // by person: admin, admin_2, member, reader, outsider
}

const readyFile = "ready.json"

func (w *Wiring) ready() Ready {
	r := Ready{
		Auth:     httpURL(w.cfg.port(authPort)),
		Areas:    map[string]string{},
		Platform: w.platformURL(),
		NATS:     w.natsURL(),
		Metrics:  map[string]string{},
		Tokens:   sandbox.Tokens(),
	}
	for _, a := range areas {
		r.Areas[a.name] = httpURL(w.cfg.port(a.port)) + "/mcp"
	}
	for _, service := range adminOrder {
		r.Metrics[service] = httpURL(w.adminPort(service)) + "/metrics"
	}
	return r
}

// write puts the file in place whole, readable by its owner only: it holds tokens.
func (r Ready) write(cfg Config) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", readyFile, err)
	}
	part := cfg.dir(readyFile + ".part")
	if err := os.WriteFile(part, append(content, '\n'), 0o600); err != nil {
		return fmt.Errorf("%s: %w", readyFile, err)
	}
	if err := os.Rename(part, cfg.dir(readyFile)); err != nil {
		return fmt.Errorf("%s: %w", readyFile, err)
	}
	return nil
}

// remove takes the file away, since nothing it names answers any more.
func (r Ready) remove(cfg Config) { _ = os.Remove(cfg.dir(readyFile)) }

// awaitReady waits until every service says that it is ready.
func awaitReady(ctx context.Context, r Ready) error {
	client := &http.Client{Timeout: 2 * time.Second}
	defer client.CloseIdleConnections()
	for service, metrics := range r.Metrics {
		url := metrics[:len(metrics)-len("/metrics")] + "/readyz"
		if err := awaitOne(ctx, client, url); err != nil {
			return fmt.Errorf("%s is not ready: %w", service, err)
		}
	}
	return nil
}

func awaitOne(ctx context.Context, client *http.Client, url string) error {
	limit, cancel := context.WithTimeoutCause(ctx, 30*time.Second, errors.New("not within 30 s"))
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(limit, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if resp, err := client.Do(req); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-limit.Done():
			return context.Cause(limit)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
