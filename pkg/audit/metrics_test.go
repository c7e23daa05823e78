package audit

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestCountsThatAlertsWatchBeginAtZero(t *testing.T) {
	registry := prometheus.NewRegistry()
	if _, err := newMetrics(registry, func() int64 { return 0 }); err != nil {
		t.Fatal(err)
	}
	for name, series := range map[string]int{
		"comporta_audit_lost_total":          6, // kinds, and the one that is not said
		"comporta_audit_records_total":       6,
		"comporta_audit_refused_calls_total": 2, // room, intent
	} {
		if n, err := testutil.GatherAndCount(registry, name); err != nil || n != series {
			t.Errorf("%s has %d series before anything happened, %v; want %d", name, n, err, series)
		}
	}
}
