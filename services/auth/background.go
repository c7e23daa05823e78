package auth

import (
	"context"
	"sync"
)

// background is what runs beside the ports and ends after them: its context
// does not end with the service's, only with stop.
type background struct {
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
}

func newBackground(ctx context.Context) *background {
	b := &background{}
	b.ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return b
}

func (b *background) run(do func(context.Context)) { b.work.Go(func() { do(b.ctx) }) }

func (b *background) stop() {
	b.cancel()
	b.work.Wait()
}

// stopped drops an error that only tells that the service was asked to stop.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
