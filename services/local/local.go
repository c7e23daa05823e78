// Package local runs all of Comporta in one process, with an embedded NATS
// server and the sandbox platform, for trying it out and for tests. Every
// service runs with the same code as its own binary; what is here is only how
// they are wired on one machine.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
)

// Options is what Run takes from its surroundings; zero values mean the usual.
type Options struct {
	Version string
	Log     *slog.Logger // nil: text on standard error, warnings only
	// Adjust changes the configurations before anything starts, for tests.
	Adjust func(*Wiring)
	// Ready is told once, when everything answers and ready.json is written.
	Ready func(Ready)
}

// Run starts everything, in the order in which the parts lean on each other,
// and stops it in the opposite order when ctx ends. The error is nil after an
// orderly stop.
func Run(ctx context.Context, cfg Config, o Options) (err error) {
	if err := cfg.validate(); err != nil {
		return err
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	release, err := claim(cfg)
	if err != nil {
		return err
	}
	defer release()
	if err := checkFree(cfg.PortBase); err != nil {
		return err
	}
	wiring, err := wire(cfg, o)
	if err != nil {
		return err
	}
	ps := newParts(o.Log)
	defer func() { err = errors.Join(err, ps.stop()) }()
	for _, p := range wiring.parts() {
		if err := ps.start(ctx, p); err != nil {
			return ended(ctx, err)
		}
	}
	ready := wiring.ready()
	if err := awaitReady(ctx, ready); err != nil {
		return ended(ctx, err)
	}
	if err := ready.write(cfg); err != nil {
		return err
	}
	defer ready.remove(cfg)
	if o.Ready != nil {
		o.Ready(ready)
	}
	return ps.wait(ctx)
}

// ended is nil where ctx was the reason.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}

// claim makes the data folder and keeps a second process out of it.
func claim(cfg Config) (release func(), err error) {
	if err := os.MkdirAll(cfg.Home, 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	lock, err := os.OpenFile(cfg.dir("lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if err := tryLock(lock); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("another Comporta runs on %s; stop it, or set COMPORTA_HOME to another folder", cfg.Home)
	}
	return func() { _ = lock.Close() }, nil
}
