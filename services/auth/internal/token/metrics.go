package token

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/services/auth/internal/person"
)

// Options are what a Checker is given beside its configuration.
type Options struct {
	Now     func() time.Time
	Metrics prometheus.Registerer
}

type metrics struct {
	cache  *prometheus.CounterVec
	checks *prometheus.HistogramVec
}

func newMetrics(registry prometheus.Registerer) *metrics {
	m := &metrics{
		cache: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "comporta_auth_token_cache_total",
			Help: "Look-ups of a personal token's last verdict: good, bad, busy or miss.",
		}, []string{"result"}),
		checks: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "comporta_auth_platform_check_seconds",
			Help:    "Time of the checks of a personal token at the platform, by outcome: good, refused, busy or failed.",
			Buckets: []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2},
		}, []string{"outcome"}),
	}
	registry.MustRegister(m.cache, m.checks)
	return m
}

func (m *metrics) hit(v verdict) {
	switch {
	case v.owner != nil:
		m.cache.WithLabelValues("good").Inc()
	case errors.Is(v.err, ErrRefused):
		m.cache.WithLabelValues("bad").Inc()
	default:
		m.cache.WithLabelValues("busy").Inc()
	}
}

func (m *metrics) miss() { m.cache.WithLabelValues("miss").Inc() }

func (m *metrics) asked(err error, took time.Duration) {
	outcome := "failed"
	if err == nil {
		outcome = "good"
	} else if errors.Is(err, person.ErrRefused) {
		outcome = "refused"
	} else if _, busy := errors.AsType[*person.Busy](err); busy {
		outcome = "busy"
	}
	m.checks.WithLabelValues(outcome).Observe(took.Seconds())
}
