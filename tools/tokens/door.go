package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/identity"
)

const publicURL = "https://tokens.example.com"

// door asks an area's own host, without a network: lists and resources need
// neither the platform nor a store.
type door struct{ gate *host.Gate }

// openDoor opens it for callers with so many companies.
func openDoor(area host.Area, companies int) (*door, error) {
	cfg := host.Defaults()
	cfg.PublicURL, cfg.AuthURL = publicURL, "https://auth.example.com"
	gate, err := host.New(area, cfg, host.Wiring{
		Auth:    everyone{companies},
		Stages:  func(guard.Namer) host.Stages { return host.Stages{} },
		Refused: func(context.Context, host.Refusal) {},
		Others:  func(context.Context, string) time.Duration { return 0 },
		Metrics: prometheus.NewRegistry(),
		Tracer:  noop.NewTracerProvider().Tracer(""),
		Log:     slog.New(slog.DiscardHandler),
		Now:     time.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("open the host of %s: %w", area.Name, err)
	}
	return &door{gate: gate}, nil
}

// everyone is an administrator whose link may write.
type everyone struct{ companies int }

func (e everyone) Authenticate(_ context.Context, _ identity.Credential, area, _ string) (*identity.Principal, error) {
	p := &identity.Principal{
		Link:   identity.Link{ID: "pt_0000000000000000", Scheme: identity.Token},
		Person: identity.Person{ID: 1, SystemAdmin: true},
		Scope:  identity.Scope{Areas: []string{area}},
	}
	for id := range int64(e.companies) {
		p.Companies = append(p.Companies, identity.Company{ID: id + 1})
	}
	return p, nil
}

// call sends one JSON-RPC request to a path and decodes its result.
func (d *door) call(path, method string, params, result any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	r := httptest.NewRequest(http.MethodPost, publicURL+path, bytes.NewReader(body))
	r.Header.Set("Authorization", "Token azion00000000000000000000000000000000000")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	w := httptest.NewRecorder()
	d.gate.ServeHTTP(w, r)
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Result == nil {
		return fmt.Errorf("%s at %s: status %d: %s", method, path, w.Code, w.Body)
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return fmt.Errorf("decode the result of %s at %s: %w", method, path, err)
	}
	return nil
}

// tools is the `tools` array of a path, as it is on the wire.
func (d *door) tools(path string) (json.RawMessage, error) {
	var list struct {
		Tools json.RawMessage `json:"tools"`
	}
	err := d.call(path, "tools/list", map[string]any{}, &list)
	return list.Tools, err
}

// schema is the complete input schema of a tool that a path has.
func (d *door) schema(path, tool string) (json.RawMessage, error) {
	var resource struct {
		Contents []struct {
			Text string `json:"text"`
		} `json:"contents"`
	}
	uri := map[string]any{"uri": host.Defaults().ResourceScheme + "://schemas/" + tool}
	if err := d.call(path, "resources/read", uri, &resource); err != nil {
		return nil, err
	}
	var schemas struct {
		Input json.RawMessage `json:"inputSchema"`
	}
	if len(resource.Contents) != 1 {
		return nil, fmt.Errorf("the schemas of %s have %d contents", tool, len(resource.Contents))
	}
	if err := json.Unmarshal([]byte(resource.Contents[0].Text), &schemas); err != nil {
		return nil, fmt.Errorf("decode the schemas of %s: %w", tool, err)
	}
	return schemas.Input, nil
}
