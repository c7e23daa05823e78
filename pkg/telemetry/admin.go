package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

// admin is the port that only operators reach.
type admin struct {
	url      string
	draining atomic.Bool
	masker   *mask.Masker
	server   *http.Server

	mu     sync.Mutex
	checks map[string]*check
	faults map[string]func() map[string]string
}

// serveAdmin listens before it returns. Without an address it serves nothing.
func serveAdmin(cfg Config, registry *prometheus.Registry, m *mask.Masker, log *slog.Logger) (*admin, error) {
	a := &admin{checks: map[string]*check{}, faults: map[string]func() map[string]string{}, masker: m}
	if cfg.AdminListen == "" {
		return a, nil
	}
	listener, err := net.Listen("tcp", cfg.AdminListen)
	if err != nil {
		return nil, err
	}
	a.url = "http://" + reachable(listener.Addr())
	a.server = &http.Server{
		Handler:           a.routes(cfg.Pprof, registry),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	go func() {
		if err := a.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the admin port stopped", "error", err)
		}
	}()
	return a, nil
}

// reachable turns a wildcard address into one that a client on this machine can dial.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
}

func (a *admin) routes(profiles bool, registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"ok": true})
	})
	mux.HandleFunc("GET /readyz", a.readyz)
	if profiles {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}

// close lets running answers end, until ctx does.
func (a *admin) close(ctx context.Context) error {
	if a.server == nil {
		return nil
	}
	if err := a.server.Shutdown(ctx); err != nil {
		return errors.Join(err, a.server.Close())
	}
	return nil
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The client going away is no fault of ours, and nobody is left to tell.
	_ = json.NewEncoder(w).Encode(body)
}
