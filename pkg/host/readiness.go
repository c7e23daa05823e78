package host

import (
	"context"
	"errors"
	"sync/atomic"
)

// watch adds the readiness checks. A host is ready once it has met auth and NATS.
// If one of them goes away later, it stays ready and answers each request as
// well as it can (503, or estado_invalido for writes): all replicas would lose
// the same service at the same moment, and taking them all away helps nobody.
func (p *parts) watch(area Area) {
	p.tel.Ready("auth", onceMet(p.auth.Ready))
	p.tel.Ready("nats", onceMet(p.bus.Ready))
	p.tel.Ready("audit", func(context.Context) error {
		if !p.log.Room() {
			return errors.New("the audit spool is full")
		}
		return nil
	})
	if area.Degraded != nil {
		p.tel.Degraded(area.Name, area.Degraded)
	}
	if area.Ready != nil {
		p.tel.Ready(area.Name, area.Ready)
	}
}

// onceMet is a check that keeps its first success.
func onceMet(check func(context.Context) error) func(context.Context) error {
	var met atomic.Bool
	return func(ctx context.Context) error {
		if met.Load() {
			return nil
		}
		if err := check(ctx); err != nil {
			return err
		}
		met.Store(true)
		return nil
	}
}
