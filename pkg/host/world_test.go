package host_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tink-crypto/tink-go/v2/hybrid"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"google.golang.org/grpc"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/identity/mtls"
	"github.com/comporta-mcp/comporta/pkg/identity/mtls/issue"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
)

// world is a host by Run with a real NATS, a small auth over real gRPC with
// certificates, and a platform that the test writes.
type world struct {
	t        *testing.T
	cfg      host.Config
	natsDir  string
	natsPort int
	nats     *embedded.Server
	authAddr string
	authTLS  *mtls.Source
	auth     *grpc.Server
	public   []byte
	platform *upstream
	door     *door // talks to the running host
	admin    string
	stop     func() error
}

// prepare makes everything but starts nothing.
func prepare(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, natsDir: t.TempDir(), natsPort: freePort(t), platform: newUpstream(t)}
	dir := t.TempDir()
	authority, err := issue.Authority("test", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	files := func(name string) identity.TLSFiles {
		leaf, err := issue.Leaf(authority, name, []string{"127.0.0.1", "localhost"}, time.Now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		f := identity.TLSFiles{CA: filepath.Join(dir, "ca.pem"), Cert: filepath.Join(dir, name+".pem"), Key: filepath.Join(dir, name+".key")}
		for path, data := range map[string][]byte{f.CA: authority.Cert, f.Cert: leaf.Cert, f.Key: leaf.Key} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return f
	}
	if w.authTLS, err = mtls.Open(files("auth"), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	w.public = publicKeyset(t)
	w.authAddr = loopback(freePort(t))
	w.cfg = host.Defaults()
	w.cfg.Listen, w.cfg.AuthURL, w.cfg.DataDir = "127.0.0.1:0", "https://auth.example.com", t.TempDir()
	w.cfg.NATS = bus.Config{URL: "nats://" + loopback(w.natsPort), Replicas: 1}
	w.cfg.Auth = identity.ClientConfig{Addresses: []string{w.authAddr}, TLS: files("host")}
	w.cfg.Platform.URL, w.cfg.Platform.Timeout = w.platform.url, 5*time.Second
	w.cfg.Telemetry.AdminListen, w.cfg.Telemetry.LogLevel = "127.0.0.1:0", "error"
	w.cfg.DrainTimeout = 5 * time.Second
	return w
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

func publicKeyset(t *testing.T) []byte {
	t.Helper()
	handle, err := keyset.NewHandle(hybrid.DHKEM_X25519_HKDF_SHA256_HKDF_SHA256_CHACHA20_POLY1305_Key_Template())
	if err != nil {
		t.Fatal(err)
	}
	public, err := handle.Public()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := insecurecleartextkeyset.Write(public, keyset.NewBinaryWriter(&out)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func (w *world) startNATS() {
	w.t.Helper()
	server, err := embedded.Start(embedded.Options{Dir: w.natsDir, Port: w.natsPort, Lax: true})
	if err != nil {
		w.t.Fatal(err)
	}
	w.nats = server
	w.t.Cleanup(func() { server.Stop() })
}

func (w *world) startAuth() {
	w.t.Helper()
	listener, err := net.Listen("tcp", w.authAddr)
	if err != nil {
		w.t.Fatal(err)
	}
	w.auth = grpc.NewServer(grpc.Creds(w.authTLS.Server()))
	authv1.RegisterAuthServiceServer(w.auth, &smallAuth{public: w.public})
	go func() { _ = w.auth.Serve(listener) }()
	w.t.Cleanup(w.auth.Stop)
}

// startHost runs the host until the test ends or w.stop is called.
func (w *world) startHost() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan host.Addresses, 1), make(chan error, 1)
	go func() { ended <- host.Run(ctx, harbour(), w.cfg, ready) }()
	w.stop = sync.OnceValue(func() error { cancel(); return <-ended })
	w.t.Cleanup(func() { _ = w.stop() })
	select {
	case a := <-ready:
		w.door, w.admin = &door{t: w.t, url: strings.TrimSuffix(a.MCP, "/mcp"), platform: w.platform}, a.Admin
	case err := <-ended:
		w.t.Fatal(err)
	}
}

func (w *world) ready() bool {
	resp, err := http.Get(w.admin + "/readyz")
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode == http.StatusOK
}

// eventually waits until the condition holds.
func (w *world) eventually(what string, condition func() bool) {
	w.t.Helper()
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if condition() {
			return
		}
	}
	w.t.Fatalf("it never happened: %s", what)
}

// smallAuth knows one person by one personal token.
type smallAuth struct {
	authv1.UnimplementedAuthServiceServer
	public []byte
}

func (a *smallAuth) Authenticate(_ context.Context, r *authv1.AuthenticateRequest) (*authv1.AuthenticateResponse, error) {
	if r.GetCredential() != "member" {
		return &authv1.AuthenticateResponse{Outcome: &authv1.AuthenticateResponse_Refusal{Refusal: authv1.Refusal_REFUSAL_TOKEN}}, nil
	}
	return &authv1.AuthenticateResponse{Outcome: &authv1.AuthenticateResponse_Caller{Caller: &authv1.Caller{
		Link:      &authv1.Link{Id: "pt_0123456789abcdef", Scheme: authv1.Scheme_SCHEME_TOKEN},
		Client:    &authv1.Client{Id: "personal", Name: "personal token"},
		Person:    &authv1.Person{Id: 1, Name: "Ana"},
		Companies: []*authv1.Company{{Id: 7, Name: "Acme", Authorization: "Token CANARYmember"}},
		Scope:     &authv1.Scope{Areas: []string{"harbour"}, Ask: authv1.Ask_ASK_NEVER},
	}}}, nil
}

func (a *smallAuth) SealingKey(context.Context, *authv1.SealingKeyRequest) (*authv1.SealingKeyResponse, error) {
	return &authv1.SealingKeyResponse{PublicKeyset: a.public}, nil
}
