package docs

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are what operators watch of the pages. Labels come from corpora.yaml.
type metrics struct {
	broken  *prometheus.GaugeVec
	pages   *prometheus.GaugeVec
	built   *prometheus.GaugeVec
	seconds *prometheus.GaugeVec
}

func newMetrics(r prometheus.Registerer) (*metrics, error) {
	gauge := func(name, help, label string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{label})
	}
	m := &metrics{
		broken:  gauge("comporta_docs_source_broken", "1 where the last try to read a source failed and its old pages are served.", "source"),
		pages:   gauge("comporta_docs_source_pages", "Pages of a source.", "source"),
		built:   gauge("comporta_docs_index_pages", "Pages in a tool's index.", "tool"),
		seconds: gauge("comporta_docs_index_seconds", "How long the last index of a tool took to make.", "tool"),
	}
	for _, c := range []prometheus.Collector{m.broken, m.pages, m.built, m.seconds} {
		if err := r.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	return m, nil
}

// Source notes what a try to read a source gave.
func (m *metrics) Source(name string, ok bool, pages int) {
	broken := 1.0
	if ok {
		broken = 0
	}
	m.broken.WithLabelValues(name).Set(broken)
	m.pages.WithLabelValues(name).Set(float64(pages))
}

// Built notes a new index.
func (m *metrics) Built(tool string, took time.Duration, pages int) {
	m.built.WithLabelValues(tool).Set(float64(pages))
	m.seconds.WithLabelValues(tool).Set(took.Seconds())
}
