package platform

import (
	"errors"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts and times the requests to the platform. The tool stands only in
// the counter: a histogram per tool would be thousands of series.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics(registerer prometheus.Registerer) *metrics {
	return &metrics{
		requests: register(registerer, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "comporta_upstream_requests_total",
			Help: "Requests to the platform by tool, method and status class; class none: no answer came.",
		}, []string{"tool", "method", "class"})),
		seconds: register(registerer, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "comporta_upstream_request_duration_seconds",
			Help:    "Time until the platform's whole answer was there, by method and status class.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 25},
		}, []string{"method", "class"})),
	}
}

// register takes part in a registry that several clients of one process share.
func register[C prometheus.Collector](registerer prometheus.Registerer, collector C) C {
	if registerer == nil {
		return collector
	}
	err := registerer.Register(collector)
	if taken, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); ok {
		if existing, same := taken.ExistingCollector.(C); same {
			return existing
		}
	}
	return collector
}

func (m *metrics) observe(tool, method string, got *reply, took time.Duration) {
	class := "none"
	if got != nil {
		class = strconv.Itoa(got.status/100) + "xx"
	}
	m.requests.WithLabelValues(tool, method, class).Inc()
	m.seconds.WithLabelValues(method, class).Observe(took.Seconds())
}
