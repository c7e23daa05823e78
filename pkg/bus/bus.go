// Package bus owns the connection to NATS and the one list of every stream,
// bucket and subject (names.go). What is in them belongs to other packages.
package bus

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Bus is one process's connection. It reconnects for ever by itself, and after
// each time makes again what is missing: buckets in memory do not outlive NATS.
type Bus struct {
	Conn *nats.Conn
	JS   jetstream.JetStream

	cfg    Config
	log    *slog.Logger
	upkeep *upkeep

	mu      sync.Mutex
	buckets map[string]*bucket
}

// Connect opens the connection. It succeeds while NATS is away: the connection
// is then made in the background, and Ready says when. tlsConfig wins over
// cfg.TLS; both may be absent.
func Connect(cfg Config, name string, log *slog.Logger, tlsConfig *tls.Config) (*Bus, error) {
	if tlsConfig == nil {
		var err error
		if tlsConfig, err = cfg.TLS.config(); err != nil {
			return nil, err
		}
	}
	b := &Bus{cfg: cfg, log: log, buckets: map[string]*bucket{}}
	b.upkeep = newUpkeep(b)
	conn, err := nats.Connect(cfg.URL, b.options(name, tlsConfig)...)
	if err != nil {
		b.upkeep.stop()
		if inURL, ok := errors.AsType[*url.Error](err); ok {
			err = inURL.Err // the error itself would repeat the URL with its password
		}
		return nil, fmt.Errorf("connect to NATS at %s: %w", cfg.shownURL(), err)
	}
	b.Conn = conn
	b.JS, err = jetstream.New(conn, jetstream.WithDefaultTimeout(5*time.Second))
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("open JetStream: %w", err)
	}
	return b, nil
}

func (b *Bus) options(name string, tlsConfig *tls.Config) []nats.Option {
	options := []nats.Option{
		nats.Name(name),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectJitter(250*time.Millisecond, 500*time.Millisecond),
		nats.RetryOnFailedConnect(true),
		nats.IgnoreAuthErrorAbort(), // credentials may be renewed while we run
		nats.ReconnectBufSize(-1),   // publishing while away fails at once instead of being lost later
		nats.Timeout(2 * time.Second),
		nats.PingInterval(5 * time.Second),
		nats.MaxPingsOutstanding(2),
		nats.ConnectHandler(func(*nats.Conn) { b.log.Info("NATS is there") }),
		nats.DisconnectErrHandler(func(c *nats.Conn, err error) {
			if !c.IsClosed() {
				b.log.Warn("NATS is away", "error", err)
				b.upkeep.lost()
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			b.log.Info("NATS is back")
			b.upkeep.again()
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { b.log.Warn("NATS reports a fault", "error", err) }),
	}
	if b.cfg.CredentialsFile != "" {
		options = append(options, nats.UserCredentials(b.cfg.CredentialsFile))
	}
	if tlsConfig != nil {
		options = append(options, nats.Secure(tlsConfig))
	}
	return options
}

// Connected reports whether NATS is reachable now.
func (b *Bus) Connected() bool { return b.Conn.IsConnected() }

// Ready says why JetStream cannot be used now; nil when it can.
func (b *Bus) Ready(ctx context.Context) error {
	if !b.Connected() {
		return errors.New("NATS is away")
	}
	if !b.upkeep.done() {
		return errors.New("streams and buckets are not set up yet")
	}
	if _, err := b.JS.AccountInfo(ctx); err != nil {
		return fmt.Errorf("JetStream does not answer: %w", err)
	}
	return nil
}

// AuditRetention is how long audit records stay.
func (b *Bus) AuditRetention() time.Duration { return cmp.Or(b.cfg.AuditRetention, AuditRetention) }

// Close drains nothing: whatever must not be lost was acknowledged before.
func (b *Bus) Close() {
	b.upkeep.stop()
	b.Conn.Close()
}
