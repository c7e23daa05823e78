package quota

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	taken, refused *prometheus.CounterVec // by limit
	contention     prometheus.Counter
	alone          prometheus.Gauge
}

// newMetrics counts in any case, and shows what it counts where a registry is given.
func newMetrics(registry prometheus.Registerer) *metrics {
	m := &metrics{
		taken: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "comporta_quota_taken_total", Help: "Calls that fitted their limit, by limit.",
		}, []string{"limit"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "comporta_quota_refused_total", Help: "Calls refused by a limit, by limit.",
		}, []string{"limit"}),
		contention: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "comporta_quota_contention_total", Help: "Compare-and-sets lost to another process.",
		}),
		alone: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "comporta_quota_alone", Help: "1 while this process counts by itself because NATS is away.",
		}),
	}
	if registry != nil {
		registry.MustRegister(m.taken, m.refused, m.contention, m.alone)
	}
	return m
}
