package audit

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

type metrics struct {
	records *prometheus.CounterVec // by kind
	lost    *prometheus.CounterVec // by kind
	refused *prometheus.CounterVec // by reason
}

func newMetrics(registry prometheus.Registerer, size func() int64) (*metrics, error) {
	m := &metrics{
		records: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "comporta_audit_records_total", Help: "Audit records written, by kind.",
		}, []string{"kind"}),
		lost: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "comporta_audit_lost_total", Help: "Audit records that could not be kept, by kind; must stay 0.",
		}, []string{"kind"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "comporta_audit_refused_calls_total", Help: "Calls refused because they could not be recorded, by reason.",
		}, []string{"reason"}),
	}
	m.begin()
	if registry == nil {
		return m, nil
	}
	spoolBytes := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "comporta_audit_spool_bytes", Help: "Audit records on this machine's disk, in bytes.",
	}, func() float64 { return float64(size()) })
	return m, errors.Join(registry.Register(m.records), registry.Register(m.lost), registry.Register(m.refused), registry.Register(spoolBytes))
}

// begin shows every count from 0 on. An alert asks what one grew by, and a series that
// begins at 1 never grew: the first record that is lost would be told to nobody.
func (m *metrics) begin() {
	for kind := range auditv1.Kind_name {
		m.records.WithLabelValues(kindName(auditv1.Kind(kind)))
		m.lost.WithLabelValues(kindName(auditv1.Kind(kind)))
	}
	for _, reason := range []string{noRoom, noIntent} {
		m.refused.WithLabelValues(reason)
	}
}
