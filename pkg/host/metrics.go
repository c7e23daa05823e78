package host

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/call"
)

// metrics are what operators watch. Labels come from the catalogue and the
// contract, never from a caller, so that nobody can make series grow.
type metrics struct {
	calls    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	refusals *prometheus.CounterVec
	inFlight prometheus.Gauge
	unknown  prometheus.Counter
}

func newMetrics(area string, r prometheus.Registerer) (*metrics, error) {
	labels := prometheus.Labels{"area": area}
	m := &metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "comporta_calls_total", Help: "Tool calls by tool and outcome code.", ConstLabels: labels,
		}, []string{"tool", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "comporta_call_duration_seconds", Help: "How long tool calls took.", ConstLabels: labels,
			Buckets: []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 90},
		}, []string{"tool"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "comporta_refusals_total", Help: "Requests refused before they became a call, by status and reason.", ConstLabels: labels,
		}, []string{"status", "reason"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "comporta_calls_in_flight", Help: "Tool calls under way.", ConstLabels: labels,
		}),
		unknown: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "comporta_unknown_tools_total", Help: "Calls of tools that do not exist.", ConstLabels: labels,
		}),
	}
	for _, c := range []prometheus.Collector{m.calls, m.duration, m.refusals, m.inFlight, m.unknown} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *metrics) called(c *call.Call, err error, took time.Duration) {
	m.calls.WithLabelValues(c.Tool.Name, outcomeOf(err)).Inc()
	m.duration.WithLabelValues(c.Tool.Name).Observe(took.Seconds())
}

func (m *metrics) refused(r Refusal) {
	m.refusals.WithLabelValues(strconv.Itoa(r.Status), r.Message).Inc()
}
