package sandbox

import (
	"context"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"
)

func TestRunServesUntilItIsAskedToStopAndLeavesNothingRunning(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx, stop := context.WithCancel(t.Context())
	ready, ended := make(chan string), make(chan error, 1)
	cfg := Config{DataDir: t.TempDir()}
	go func() { ended <- Run(ctx, cfg, gardens(), ready) }()
	var base string
	select {
	case base = <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	if !strings.HasPrefix(base, "http://127.0.0.1:") || !strings.HasSuffix(base, "/v4") {
		t.Errorf("the base URL is %q", base)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/identity/user", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Token "+Tokens()["admin"])
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("answered %d", resp.StatusCode)
	}

	second := cfg
	if err := Run(ctx, second, gardens(), nil); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a second sandbox on the same data: %v", err)
	}
	second.DataDir, second.Listen = t.TempDir(), strings.TrimSuffix(strings.TrimPrefix(base, "http://"), "/v4")
	if err := Run(ctx, second, gardens(), nil); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second sandbox on the same address: %v", err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("stopped with %v", err)
	}
}

func TestAConfigurationTellsEveryFaultAtOnce(t *testing.T) {
	err := Config{PendingFor: -time.Second, MaxPageSize: -1, MaxBody: -1}.Validate()
	for _, key := range []string{"data-dir", "pending-for", "max-page-size", "max-body"} {
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%v does not name %s", err, key)
		}
	}
	if err := Defaults().Validate(); err != nil {
		t.Errorf("the defaults have faults: %v", err)
	}
}

func TestDocumentsThatCannotBeServedAreNamed(t *testing.T) {
	const head = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\npaths:\n"
	tests := []struct {
		name, file, want string
	}{
		{"no YAML", "{", "bad.yaml"},
		{"no paths", "openapi: 3.0.3\n", "bad.yaml"},
		{"a reference to nothing", head + "  /x: {get: {operationId: x, x-mcp: {effect: read}, responses: {'200': {$ref: '#/components/responses/No'}}}}\n", "No"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			docs := map[string]fs.FS{"area": fstest.MapFS{"bad.yaml": {Data: []byte(tt.file)}}}
			err := Run(t.Context(), Config{DataDir: t.TempDir()}, docs, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "area") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTwoOperationsOfOnePathAndMethodAreRefused(t *testing.T) {
	doc := func(id string) []byte {
		return []byte("openapi: 3.0.3\ninfo: {title: t, version: '1'}\npaths:\n  /x: {get: {operationId: " + id + ", x-mcp: {effect: read}, responses: {'200': {description: ok}}}}\n")
	}
	docs := map[string]fs.FS{"area": fstest.MapFS{"a.yaml": {Data: doc("one")}, "b.yaml": {Data: doc("two")}}}
	if err := Run(t.Context(), Config{DataDir: t.TempDir()}, docs, nil); err == nil || !strings.Contains(err.Error(), "one") {
		t.Errorf("got %v", err)
	}
}
