package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"

	"github.com/comporta-mcp/comporta/pkg/identity/mtls"
	"github.com/comporta-mcp/comporta/pkg/telemetry"
)

// doors are the two open ports. They are opened first, so that a taken port is
// told before anything is waited for.
type doors struct {
	grpc  net.Listener
	http  net.Listener
	creds credentials.TransportCredentials
	web   *mtls.Source // nil: plain HTTP
	drain time.Duration
	log   *slog.Logger
}

func listen(cfg Config, log *slog.Logger) (_ *doors, err error) {
	d := &doors{drain: cfg.DrainTimeout, log: log}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	source, err := mtls.Open(cfg.TLS, log)
	if err != nil {
		return nil, fmt.Errorf("certificates of the gRPC service: %w", err)
	}
	d.creds = source.Server()
	if cfg.HTTPTLS.Cert != "" {
		if d.web, err = mtls.Open(mtls.Files{Cert: cfg.HTTPTLS.Cert, Key: cfg.HTTPTLS.Key}, log); err != nil {
			return nil, fmt.Errorf("certificate of the public pages: %w", err)
		}
	}
	if d.grpc, err = net.Listen("tcp", cfg.GRPCListen); err != nil {
		return nil, fmt.Errorf("gRPC service: %w", err)
	}
	if d.http, err = net.Listen("tcp", cfg.HTTPListen); err != nil {
		return nil, fmt.Errorf("public pages: %w", err)
	}
	return d, nil
}

func (d *doors) close() {
	for _, l := range []net.Listener{d.grpc, d.http} {
		if l != nil {
			_ = l.Close()
		}
	}
}

// serve answers on both ports until ctx ends or one of them fails.
func (d *doors) serve(ctx context.Context, server *grpc.Server, healthy *health.Server, site *site, tel *telemetry.Telemetry, ready chan<- Addresses) error {
	pages := &http.Server{
		Handler:           site.handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      15 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(d.log.Handler(), slog.LevelDebug),
	}
	pages.RegisterOnShutdown(site.stop)
	failed := make(chan error, 2)
	var serving sync.WaitGroup
	serving.Go(func() { failed <- server.Serve(d.grpc) })
	serving.Go(func() { failed <- d.servePages(pages) })
	d.announce(ctx, tel, ready)

	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	d.log.Info("stopping")
	tel.Drain()
	healthy.Shutdown()
	d.stop(server, pages)
	serving.Wait()
	if err != nil && !errors.Is(err, grpc.ErrServerStopped) && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (d *doors) servePages(pages *http.Server) error {
	if d.web == nil {
		return pages.Serve(d.http)
	}
	pages.TLSConfig = d.web.Web()
	return pages.ServeTLS(d.http, "", "")
}

// pages is the URL of the open HTTP port.
func (d *doors) pages() string {
	if d.web != nil {
		return "https://" + d.http.Addr().String()
	}
	return "http://" + d.http.Addr().String()
}

func (d *doors) announce(ctx context.Context, tel *telemetry.Telemetry, ready chan<- Addresses) {
	at := Addresses{GRPC: d.grpc.Addr().String(), HTTP: d.pages(), Admin: tel.AdminURL()}
	d.log.Info("ready", "grpc", at.GRPC, "http", at.HTTP, "admin", at.Admin)
	if ready == nil {
		return
	}
	select {
	case ready <- at:
	case <-ctx.Done():
	}
}

// stop lets running requests end, both ports at once, and cuts what is left
// after the drain time.
func (d *doors) stop(server *grpc.Server, pages *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), d.drain)
	defer cancel()
	var draining sync.WaitGroup
	draining.Go(func() {
		cut := context.AfterFunc(ctx, server.Stop)
		defer cut()
		server.GracefulStop()
	})
	draining.Go(func() {
		if pages.Shutdown(ctx) != nil {
			_ = pages.Close()
		}
	})
	draining.Wait()
}
