package host

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity/mtls"
	"github.com/comporta-mcp/comporta/pkg/telemetry"
)

// serve answers HTTP until ctx ends and then drains: no new connections, the
// running requests to their end, within cfg.DrainTimeout.
func serve(ctx context.Context, cfg Config, listener net.Listener, gate http.Handler, tel *telemetry.Telemetry) error {
	server := &http.Server{
		Handler: gate,
		// The deadline of reading ends when the body came whole (readMessage): kept, it
		// would cut event streams. It also ends the wait for a body that nobody wants.
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       bodyTime,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeaderSize,
		ErrorLog:          slog.NewLogLogger(tel.Log.Handler(), slog.LevelDebug),
	}
	if cfg.TLS.Cert != "" {
		files, err := mtls.Open(mtls.Files{Cert: cfg.TLS.Cert, Key: cfg.TLS.Key}, tel.Log)
		if err != nil {
			return fmt.Errorf("the host's certificate: %w", err)
		}
		listener = tls.NewListener(listener, files.Web())
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	tel.Drain()
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.DrainTimeout)
	defer cancel()
	err := server.Shutdown(draining)
	if err != nil {
		err = errors.Join(fmt.Errorf("some requests did not end within %s: %w", cfg.DrainTimeout, err), server.Close())
	}
	<-ended
	return err
}
