package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const dashboardText = `{"panels": [
	{"title": "Calls", "targets": [{"expr": "rate(calls[$__rate_interval])"}]},
	{"title": "A row", "panels": [{"title": "Spool", "targets": [{"expr": "spool"}]}]}]}`

const pageText = "| metric | what |\n|---|---|\n| `comporta_calls_total` | calls |\n| `comporta_spool` | bytes |\n"

func TestWhatIsMissingIsTold(t *testing.T) {
	healthy := map[string]string{"rate(calls[1m])": "1", "spool": "0"}
	tests := []struct {
		name    string
		values  map[string]string // by query; "": no series
		exposed []string
		fault   string // "": none
	}{
		{"every panel has data, every metric its line", healthy, []string{"comporta_calls_total", "comporta_spool", "go_goroutines"}, ""},
		{"a panel in a row has no series", map[string]string{"rate(calls[1m])": "1"}, []string{"comporta_calls_total", "comporta_spool"}, `panel "Spool"`},
		{"a panel has no number", map[string]string{"rate(calls[1m])": "NaN", "spool": "0"}, []string{"comporta_calls_total", "comporta_spool"}, `panel "Calls"`},
		{"an alert fires", map[string]string{"rate(calls[1m])": "1", "spool": "0", `ALERTS{alertstate="firing"}`: "1"}, []string{"comporta_calls_total", "comporta_spool"}, "1 alerts are firing"},
		{"a metric has no line", healthy, []string{"comporta_calls_total", "comporta_spool", "comporta_new"}, "comporta_new is exposed"},
		{"a line has no metric", healthy, []string{"comporta_calls_total"}, "names comporta_spool, which nobody exposes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var results []string
				if r.URL.Path == "/api/v1/query" {
					value := test.values[r.FormValue("query")]
					if value != "" {
						results = append(results, fmt.Sprintf(`{"value": [0, %q]}`, value))
					}
					fmt.Fprintf(w, `{"status": "success", "data": {"result": [%s]}}`, strings.Join(results, ","))
					return
				}
				for _, name := range test.exposed {
					results = append(results, fmt.Sprintf(`{"metric": %q}`, name))
				}
				fmt.Fprintf(w, `{"status": "success", "data": [%s]}`, strings.Join(results, ","))
			}))
			defer server.Close()
			folder := t.TempDir()
			dashboard, page := filepath.Join(folder, "d.json"), filepath.Join(folder, "p.md")
			for file, text := range map[string]string{dashboard: dashboardText, page: pageText} {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := run(t.Context(), asker{server.URL}, dashboard, page, "1m")
			if test.fault == "" && err != nil || test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
				t.Errorf("it is answered with %v; want %q", err, test.fault)
			}
		})
	}
}

func TestWhatPrometheusRefusesIsTold(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"status": "error", "error": "parse error"}`)
	}))
	defer server.Close()
	if _, err := (asker{server.URL}).series(t.Context(), "rate("); err == nil || err.Error() != "parse error" {
		t.Errorf("it is answered with %v", err)
	}
}
