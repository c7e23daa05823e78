package link

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

type metrics struct {
	reads   *prometheus.CounterVec
	dropped prometheus.Counter
}

func newMetrics(registry prometheus.Registerer, late func() time.Duration) *metrics {
	m := &metrics{
		reads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "comporta_auth_link_reads_total",
			Help: "Look-ups of links, by where the answer came from: memory or bucket.",
		}, []string{"from"}),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "comporta_auth_link_uses_dropped_total",
			Help: "Last uses of links that were not written because too many were waiting.",
		}),
	}
	lateness := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "comporta_auth_watch_late_seconds",
		Help: "How long ago the links in memory were last proven to be complete; above 1 each call reads its link anew. 1e9 stands for never.",
	}, func() float64 { return min(late().Seconds(), 1e9) })
	registry.MustRegister(m.reads, m.dropped, lateness)
	return m
}
