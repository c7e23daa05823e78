package rpc

import (
	"github.com/prometheus/client_golang/prometheus"

	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
)

// Metrics counts what was asked and answered.
type Metrics struct{ checks *prometheus.CounterVec }

// NewMetrics makes and registers them.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{checks: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "comporta_auth_checks_total",
		Help: "Credentials judged, by question (authenticate, release), scheme (token, bearer) and outcome.",
	}, []string{"question", "scheme", "outcome"})}
	registry.MustRegister(m.checks)
	return m
}

func (m *Metrics) checked(question string, scheme authv1.Scheme, refusal authv1.Refusal, err error) {
	names := map[authv1.Refusal]string{
		authv1.Refusal_REFUSAL_UNSPECIFIED: "accepted",
		authv1.Refusal_REFUSAL_TOKEN:       "refused_token",
		authv1.Refusal_REFUSAL_BEARER:      "refused_bearer",
		authv1.Refusal_REFUSAL_AREA:        "refused_area",
		authv1.Refusal_REFUSAL_REVOKED:     "refused_revoked",
		authv1.Refusal_REFUSAL_PAUSED:      "refused_paused",
	}
	outcome := names[refusal]
	if err != nil {
		outcome = "unavailable"
	}
	m.checks.WithLabelValues(question, schemeLabel(scheme), outcome).Inc()
}

func schemeLabel(s authv1.Scheme) string {
	switch s {
	case authv1.Scheme_SCHEME_TOKEN:
		return "token"
	case authv1.Scheme_SCHEME_BEARER:
		return "bearer"
	default:
		return "none"
	}
}
