package worker

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/comporta-mcp/comporta/pkg/config"
	"github.com/comporta-mcp/comporta/services/catalogs"
)

func TestSettingsComeFromTheEnvironmentAndTheRestIsDefault(t *testing.T) {
	cfg := Defaults()
	err := config.Load(&cfg, config.Options{Name: "comporta-worker", Env: []string{
		"COMPORTA_SETTLE=2s", "COMPORTA_WORK_ACK_WAIT=5s", "COMPORTA_NATS_URL=nats://127.0.0.1:4222",
		"COMPORTA_PLATFORM_URL=https://api.example.com/v4", "COMPORTA_AUTH_ADDRESSES=127.0.0.1:8443",
		"COMPORTA_AUTH_TLS_CA=ca.pem", "COMPORTA_AUTH_TLS_CERT=c.pem", "COMPORTA_AUTH_TLS_KEY=k.pem",
	}})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Settle != 2*time.Second || cfg.Work.AckWait != 5*time.Second || cfg.Work.MaxTries != 5 {
		t.Errorf("settings %+v", cfg)
	}
}

func TestEveryFaultOfTheSettingsIsListed(t *testing.T) {
	err := Work{
		Parallel: -1, RetryMin: time.Minute, RetryMax: time.Second, AckWait: time.Hour, VerifyFor: -time.Second,
	}.Validate()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, setting := range []string{"parallel", "retry-min", "lost-after", "verify-for"} {
		if !strings.Contains(err.Error(), setting) {
			t.Errorf("%q is not told: %v", setting, err)
		}
	}
	if err := (Work{}).Validate(); err != nil {
		t.Errorf("the zero value means the defaults: %v", err)
	}
	if err := (Config{Settle: -1}).Validate(); err == nil || !strings.Contains(err.Error(), "settle") || !strings.Contains(err.Error(), "data-dir") {
		t.Errorf("faults: %v", err)
	}
}

func TestPausesGrowWithinTheirBounds(t *testing.T) {
	work := Work{}.orDefaults()
	for tries, want := range map[uint32]time.Duration{0: time.Second, 1: time.Second, 2: 2 * time.Second, 4: 8 * time.Second, 99: 30 * time.Second} {
		if got := work.retryPause(tries); got != want {
			t.Errorf("after %d tries: %s, want %s", tries, got, want)
		}
	}
	for since, want := range map[time.Duration]time.Duration{0: time.Second, 8 * time.Second: 2 * time.Second, time.Hour: 5 * time.Second} {
		if got := work.verifyPause(since); got != want {
			t.Errorf("%s after the write: %s, want %s", since, got, want)
		}
	}
}

// Every probe, list and retrieve tool that an operation may need must be there.
func TestTheToolsOfEveryAreaAreKnownByOneName(t *testing.T) {
	tools, err := loadTools(catalogs.Documents())
	if err != nil {
		t.Fatal(err)
	}
	for name, tool := range tools {
		if tool.Operation == nil || tool.Operation.Probe == "" {
			continue
		}
		if _, ok := tools.find(tool.Operation.Probe); !ok {
			t.Errorf("%s names the probe %s, which there is not", name, tool.Operation.Probe)
		}
	}
}

func TestAToolThatTwoAreasHaveStopsTheStart(t *testing.T) {
	document := fstest.MapFS{"a.yaml": {Data: []byte(`openapi: 3.0.3
info: {title: t, version: "1"}
servers: [{url: "https://api.example.com"}]
components: {securitySchemes: {token: {type: apiKey, in: header, name: Authorization}}}
security: [{token: []}]
paths:
  /things:
    get:
      operationId: list_things
      summary: List things
      description: Lists the things there are.
      x-mcp: {profiles: [things], effect: read}
      responses: {"200": {description: ok, content: {application/json: {schema: {type: object, properties: {results: {type: array, items: {type: object, properties: {id: {type: integer}}}}}}}}}}
`)}}
	_, err := loadTools(map[string]fs.FS{"one": document, "two": document})
	if err == nil || !strings.Contains(err.Error(), "list_things is in the areas one and two") {
		t.Errorf("loadTools = %v", err)
	}
}

func TestASlimAnswerKeepsTheID(t *testing.T) {
	huge := `{"state":"pending","data":{"id":9007199254740993,"name":"shop","code":"` + strings.Repeat("x", 100<<10) + `","list":[1,2]}}`
	kept := string(slim([]byte(huge)))
	if kept != `{"data":{"id":9007199254740993,"name":"shop"},"state":"pending"}` {
		t.Errorf("kept %.200s", kept)
	}
}
