package audit

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
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
	if registry == nil {
		return m, nil
	}
	spoolBytes := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "comporta_audit_spool_bytes", Help: "Audit records on this machine's disk, in bytes.",
	}, func() float64 { return float64(size()) })
	return m, errors.Join(registry.Register(m.records), registry.Register(m.lost), registry.Register(m.refused), registry.Register(spoolBytes))
}
