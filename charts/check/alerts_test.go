package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const (
	alertsFile    = chartFolder + "/files/alerts.yaml"
	dashboardFile = chartFolder + "/files/dashboard.json"
	docsFolder    = "../../docs/operate"
)

// series are what Prometheus has scraped each minute, in promtool's notation.
type series map[string]string

// healthy is a swarm at work, in which nothing may fire.
var healthy = series{
	`up{job="comporta",component="build",instance="b"}`:                                   "1x90",
	`comporta_build_info{service="auth"}`:                                                 "1x90",
	`comporta_build_info{service="worker"}`:                                               "1x90",
	`comporta_calls_total{area="build",code="ok"}`:                                        "0+600x90",
	`comporta_calls_total{area="build",code="interno"}`:                                   "0+3x90",
	`comporta_call_duration_seconds_bucket{area="build",le="1"}`:                          "0+600x90",
	`comporta_call_duration_seconds_bucket{area="build",le="30"}`:                         "0+603x90",
	`comporta_call_duration_seconds_bucket{area="build",le="+Inf"}`:                       "0+603x90",
	`comporta_refusals_total{area="build",status="401"}`:                                  "0+50x90",
	`comporta_refusals_total{area="build",status="503"}`:                                  "2x90",
	`comporta_upstream_requests_total{component="build",class="2xx"}`:                     "0+600x90",
	`comporta_upstream_requests_total{component="build",class="5xx"}`:                     "0+5x90",
	`comporta_auth_platform_check_seconds_count{outcome="failed"}`:                        "0+1x90",
	`comporta_quota_alone{area="build"}`:                                                  "0x90",
	`comporta_auth_watch_late_seconds{instance="a"}`:                                      "0.4x90",
	`comporta_queue_recreated_total{component="worker"}`:                                  "1x90",
	`comporta_audit_lost_total{component="build",kind="call"}`:                            "0x90",
	`comporta_audit_refused_calls_total{component="build",reason="spool"}`:                "4x90",
	`comporta_audit_spool_bytes{component="build",instance="b"}`:                          "90000x90",
	`comporta_operations_oldest_seconds{component="worker",phase="en_cola"}`:              "2x90",
	`comporta_operations_oldest_seconds{component="worker",phase="esperando_aprobacion"}`: "500x90",
	`comporta_operations_retired_total{component="worker"}`:                               "1x90",
	`comporta_operation_panics_total{component="worker"}`:                                 "0x90",
	`comporta_docs_source_broken{source="docs-en"}`:                                       "0x90",
}

var faults = []struct {
	name, alert string
	changed     series // in place of what is healthy
	gone        string // a series that is not there
	after       string
}{
	{name: "a replica does not answer", alert: "ComportaServiceDown", changed: series{`up{job="comporta",component="build",instance="b"}`: "1x5 0x25"}},
	{name: "no worker is there", alert: "ComportaServiceMissing", gone: `comporta_build_info{service="worker"}`},
	{name: "no auth is there", alert: "ComportaServiceMissing", gone: `comporta_build_info{service="auth"}`},
	{name: "a host cannot ask auth", alert: "ComportaAuthUnreachable", changed: series{`comporta_refusals_total{area="build",status="503"}`: "0+20x30"}},
	{name: "two calls in a hundred fail", alert: "ComportaCallsFailing", changed: series{`comporta_calls_total{area="build",code="interno"}`: "0+13x30"}},
	{name: "one call in ten takes half a minute", alert: "ComportaCallsSlow", changed: series{`comporta_call_duration_seconds_bucket{area="build",le="1"}`: "0+540x30"}},
	{name: "the platform answers one in ten with an error", alert: "ComportaPlatformFailing", changed: series{`comporta_upstream_requests_total{component="build",class="5xx"}`: "0+67x30"}},
	{name: "the platform does not answer", alert: "ComportaPlatformFailing", changed: series{`comporta_upstream_requests_total{component="build",class="none"}`: "0+67x30"}},
	{name: "tokens cannot be checked", alert: "ComportaTokenChecksFailing", changed: series{`comporta_auth_platform_check_seconds_count{outcome="failed"}`: "0+30x30"}},
	{name: "NATS is away", alert: "ComportaNATSAway", changed: series{`comporta_quota_alone{area="build"}`: "0x5 1x25"}},
	{name: "revocations are late", alert: "ComportaRevocationsLate", changed: series{`comporta_auth_watch_late_seconds{instance="a"}`: "0.4x5 0+60x25"}},
	{name: "the queue was made anew", alert: "ComportaQueueRecreated", changed: series{`comporta_queue_recreated_total{component="worker"}`: "1x10 2x20"}},
	{name: "a record was lost", alert: "ComportaAuditLost", changed: series{`comporta_audit_lost_total{component="build",kind="call"}`: "0x20 1x10"}},
	{name: "calls are refused for want of a record", alert: "ComportaAuditRefusing", changed: series{`comporta_audit_refused_calls_total{component="build",reason="spool"}`: "4x26 9x4"}},
	{name: "the spool fills", alert: "ComportaAuditSpoolFilling", changed: series{`comporta_audit_spool_bytes{component="build",instance="b"}`: "0+1000000x30"}},
	{name: "an operation waits for a worker", alert: "ComportaOperationsWaiting", changed: series{`comporta_operations_oldest_seconds{component="worker",phase="en_cola"}`: "0+60x30"}},
	{name: "an operation was given up", alert: "ComportaOperationsRetired", changed: series{`comporta_operations_retired_total{component="worker"}`: "1x20 2x10"}},
	{name: "a worker panicked", alert: "ComportaWorkerPanics", changed: series{`comporta_operation_panics_total{component="worker"}`: "0x20 1x10"}},
	{name: "a source has been broken for an hour", alert: "ComportaDocsSourceBroken", changed: series{`comporta_docs_source_broken{source="docs-en"}`: "1x90"}, after: "75m"},
}

// TestEachAlertFiresInItsFaultAndIsSilentWithout asks a real Prometheus' rule engine.
func TestEachAlertFiresInItsFaultAndIsSilentWithout(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("CI needs promtool (Debian's package prometheus)")
		}
		t.Skip("SKIPPED: there is no promtool here (apt-get install prometheus)")
	}
	rules, err := filepath.Abs(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	tests := []any{judged(healthy, "30m", `count(ALERTS)`, false)}
	told := map[string]bool{}
	for _, fault := range faults {
		now := series{}
		for name, values := range healthy {
			if name != fault.gone {
				now[name] = values
			}
		}
		for name, values := range fault.changed {
			now[name] = values
		}
		after := fault.after
		if after == "" {
			after = "29m"
		}
		told[fault.alert] = true
		tests = append(tests, judged(now, after, `count(ALERTS{alertname="`+fault.alert+`",alertstate="firing"})`, true),
			judged(now, after, `count(ALERTS{alertname!="`+fault.alert+`"})`, false))
	}
	for alert := range alerts(t) {
		if !told[alert] {
			t.Errorf("no fault is told that makes %s fire", alert)
		}
	}
	text, err := yaml.Marshal(map[string]any{"rule_files": []string{rules}, "evaluation_interval": "1m", "tests": tests})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "alerts.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), promtool, "test", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// judged is one test of promtool: whether the expression has one result, 1.
func judged(now series, after, expression string, fires bool) any {
	var input []any
	for name, values := range now {
		input = append(input, map[string]any{"series": name, "values": values})
	}
	want := []any{}
	if fires {
		want = append(want, map[string]any{"labels": "{}", "value": 1})
	}
	return map[string]any{
		"interval": "1m", "name": expression, "input_series": input,
		"promql_expr_test": []any{map[string]any{"expr": expression, "eval_time": after, "exp_samples": want}},
	}
}

// alerts gives each alert's runbook anchor.
func alerts(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert       string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			all[rule.Alert] = rule.Annotations["runbook_url"]
		}
	}
	return all
}

func TestEachAlertHasItsRunbook(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(docsFolder, "alerts.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := alerts(t)
	for alert, runbook := range all {
		if runbook != "RUNBOOKS#"+strings.ToLower(alert) || !strings.Contains(string(text), "\n## "+alert+"\n") {
			t.Errorf("%s has no runbook, or points elsewhere: %q", alert, runbook)
		}
	}
	for _, heading := range regexp.MustCompile(`(?m)^## (Comporta\w+)$`).FindAllStringSubmatch(string(text), -1) {
		if all[heading[1]] == "" {
			t.Errorf("there is no alert for the runbook of %s", heading[1])
		}
	}
}

var metricName = regexp.MustCompile(`comporta_[a-z_]+[a-z]`)

func TestPanelsAndAlertsAskForMetricsThatAreDocumented(t *testing.T) {
	documented := readText(t, filepath.Join(docsFolder, "metrics.md"))
	for _, name := range []string{alertsFile, dashboardFile} {
		for _, metric := range metricName.FindAllString(readText(t, name), -1) {
			metric = strings.TrimSuffix(strings.TrimSuffix(metric, "_bucket"), "_count")
			if !strings.Contains(documented, "| `"+metric+"` |") {
				t.Errorf("%s asks for %s, which metrics.md does not know", name, metric)
			}
		}
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
