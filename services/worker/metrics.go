package worker

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/operation"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// metrics is what a worker tells about its work.
type metrics struct {
	handled   *prometheus.HistogramVec // seconds of one try, by outcome
	ended     *prometheus.CounterVec   // by area and outcome code
	retired   prometheus.Counter
	panics    prometheus.Counter
	requeued  prometheus.Counter
	recreated prometheus.Counter
}

func newMetrics(r prometheus.Registerer, l *live, now func() time.Time) *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &metrics{
		handled: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "comporta_operation_try_seconds",
			Help:    "Time of one try of an operation, by what became of it: ended, later, failed, retired.",
			Buckets: []float64{.01, .05, .1, .5, 1, 5, 15, 60},
		}, []string{"outcome"}),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "comporta_operations_ended_total",
			Help: "Operations that ended, by area and by ok or the problem's code.",
		}, []string{"area", "outcome"}),
		retired:   counter("comporta_operations_retired_total", "Operations that failed each time and were ended as interno."),
		panics:    counter("comporta_operation_panics_total", "Panics while handling operations."),
		requeued:  counter("comporta_operations_requeued_total", "Operations whose queue message was lost and published again."),
		recreated: counter("comporta_queue_recreated_total", "Times the consumer was made anew because it was ahead of its stream."),
	}
	r.MustRegister(m.handled, m.ended, m.retired, m.panics, m.requeued, m.recreated, &open{live: l, now: now})
	return m
}

// open counts the operations that have not ended when it is asked.
type open struct {
	live *live
	now  func() time.Time
}

var (
	openCount = prometheus.NewDesc("comporta_operations_open",
		"Operations that have not ended, by phase.", []string{"phase"}, nil)
	openAge = prometheus.NewDesc("comporta_operations_oldest_seconds",
		"Age of the oldest operation that has not ended, by phase.", []string{"phase"}, nil)
)

// Describe names the metrics.
func (o *open) Describe(out chan<- *prometheus.Desc) { out <- openCount; out <- openAge }

// Collect counts. Phases without operations are told as 0.
func (o *open) Collect(out chan<- prometheus.Metric) {
	all, _ := o.live.snapshot()
	count, age := map[operationv1.Phase]int{}, map[operationv1.Phase]time.Duration{}
	now := o.now()
	for _, g := range all {
		count[g.phase]++
		age[g.phase] = max(age[g.phase], now.Sub(g.created))
	}
	for _, phase := range []operationv1.Phase{
		operationv1.Phase_PHASE_QUEUED, operationv1.Phase_PHASE_AWAITING_APPROVAL,
		operationv1.Phase_PHASE_EXECUTING, operationv1.Phase_PHASE_VERIFYING,
	} {
		word := operation.PhaseWord(phase)
		out <- prometheus.MustNewConstMetric(openCount, prometheus.GaugeValue, float64(count[phase]), word)
		out <- prometheus.MustNewConstMetric(openAge, prometheus.GaugeValue, age[phase].Seconds(), word)
	}
}
