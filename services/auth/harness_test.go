package auth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/devcert"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Tokens of the shape that the contract gives personal tokens.
var (
	goodToken    = identity.Secret("azion" + strings.Repeat("a", 35))
	readerToken  = identity.Secret("azion" + strings.Repeat("r", 35))
	unknownToken = identity.Secret("azion" + strings.Repeat("x", 35))
)

// owner is who the platform of the tests says that a token belongs to.
type owner struct {
	id       int64
	email    string
	admin    bool
	readOnly bool
	company  int64
}

// fakePlatform is a stand-in for the platform's identity endpoints.
type fakePlatform struct {
	*httptest.Server
	mu     sync.Mutex
	people map[identity.Secret]owner
	// mode, when set, answers everything instead.
	mode http.HandlerFunc
}

func newPlatform(t testing.TB) *fakePlatform {
	p := &fakePlatform{people: map[identity.Secret]owner{
		goodToken:   {id: 7, email: "ana@example.com", admin: true, company: 1001},
		readerToken: {id: 8, email: "rui@example.com", readOnly: true, company: 1001},
	}}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

func (p *fakePlatform) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	mode := p.mode
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Token ")
	who, known := p.people[identity.Secret(token)]
	p.mu.Unlock()
	switch {
	case mode != nil:
		mode(w, r)
	case !known:
		answerJSON(w, http.StatusUnauthorized, map[string]any{"detail": "Invalid token."})
	case r.URL.Path == "/v4/identity/user":
		answerJSON(w, http.StatusOK, map[string]any{"data": map[string]any{
			"id": who.id, "email": who.email, "first_name": "Ana", "last_name": "Sá",
			"is_admin": who.admin, "is_read_only": who.readOnly,
		}})
	case r.URL.Path == "/v4/account/account":
		answerJSON(w, http.StatusOK, map[string]any{"data": map[string]any{"id": who.company, "name": "Acme"}})
	default:
		answerJSON(w, http.StatusNotFound, map[string]any{"detail": "Not found."})
	}
}

func (p *fakePlatform) set(mode http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = mode
}

func (p *fakePlatform) revoke(token identity.Secret) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.people, token)
}

func answerJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// world is what auth needs around it.
type world struct {
	t        testing.TB
	nats     *embedded.Server
	natsDir  string
	natsPort int
	platform *fakePlatform
	certs    devcert.Files
	certDir  string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, natsDir: t.TempDir(), natsPort: freePort(t), platform: newPlatform(t), certDir: filepath.Join(t.TempDir(), "tls")}
	var err error
	if w.certs, err = devcert.Ensure(w.certDir, time.Now()); err != nil {
		t.Fatal(err)
	}
	w.startNATS()
	t.Cleanup(func() { w.stopNATS() })
	return w
}

func (w *world) startNATS() {
	w.t.Helper()
	var err error
	if w.nats, err = embedded.Start(embedded.Options{Dir: w.natsDir, Port: w.natsPort, Lax: true}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) stopNATS() {
	if w.nats != nil {
		w.nats.Stop()
		w.nats = nil
	}
}

// freePort gives a port that nobody listens on, below those that systems give to
// outgoing connections: such a one may be taken again before it is used.
func freePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 10_000 + rand.IntN(20_000)
		if l, err := net.Listen("tcp", address(port)); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no free port was found")
	return 0
}

func (w *world) config() Config {
	cfg := Defaults()
	cfg.GRPCListen, cfg.HTTPListen = "127.0.0.1:0", "127.0.0.1:0"
	cfg.Telemetry.AdminListen = "127.0.0.1:0"
	cfg.Telemetry.LogLevel = "error"
	cfg.TLS = w.certs.Auth
	cfg.PlatformURL = w.platform.URL + "/v4"
	cfg.MasterKey = identity.Secret(base64.StdEncoding.EncodeToString(make([]byte, 32)))
	cfg.NATS = bus.Config{URL: w.nats.URL(), Replicas: 1}
	cfg.DataDir = w.t.TempDir()
	cfg.DrainTimeout = 3 * time.Second
	return cfg
}

// replica is one running auth.
type replica struct {
	Addresses
	stop func() error
}

// start runs an auth until the test ends or stop is called.
func (w *world) start(change func(*Config)) *replica {
	w.t.Helper()
	cfg := w.config()
	if change != nil {
		change(&cfg)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan Addresses), make(chan error, 1)
	go func() { ended <- Run(ctx, cfg, Deps{Version: "test", Documents: documents()}, ready) }()
	r := &replica{stop: sync.OnceValue(func() error { cancel(); return <-ended })}
	select {
	case r.Addresses = <-ready:
	case err := <-ended:
		cancel()
		w.t.Fatalf("auth ended: %v", err)
	case <-time.After(20 * time.Second):
		cancel()
		w.t.Fatal("auth is not ready after 20 s")
	}
	w.t.Cleanup(func() {
		if err := r.stop(); err != nil {
			w.t.Errorf("auth did not stop in order: %v", err)
		}
	})
	return r
}

// client asks these replicas.
func (w *world) client(replicas ...*replica) *identity.AuthClient {
	w.t.Helper()
	cfg := identity.ClientConfig{TLS: w.certs.Caller}
	for _, r := range replicas {
		cfg.Addresses = append(cfg.Addresses, r.GRPC)
	}
	client, err := identity.Dial(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = client.Close() })
	return client
}

// links gives links as another process of ours would, to change their state.
func (w *world) links() *link.Links {
	w.t.Helper()
	b, err := bus.Connect(bus.Config{URL: w.nats.URL()}, "test", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(b.Close)
	kv, err := b.KV(w.t.Context(), bus.Links)
	if err != nil {
		w.t.Fatal(err)
	}
	return link.New(link.Options{
		Conn: b.Conn, JS: b.JS, KV: kv, Replica: "test", Cached: 10,
		Log: slog.New(slog.DiscardHandler), Now: time.Now, Metrics: prometheus.NewRegistry(),
	})
}

// ask authenticates a personal token for the area build.
func ask(t *testing.T, client *identity.AuthClient, token identity.Secret) (*identity.Principal, error) {
	t.Helper()
	return client.Authenticate(t.Context(), identity.Credential{Scheme: identity.Token, Value: token}, "build", "192.0.2.7")
}

// eventually repeats a look until it is as wanted; the failure tells the last look.
func eventually(t *testing.T, within time.Duration, look func() string) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		fault := look()
		if fault == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %s", within, fault)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
