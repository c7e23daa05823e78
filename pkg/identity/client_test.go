package identity

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tink-crypto/tink-go/v2/hybrid"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/comporta-mcp/comporta/pkg/identity/mtls"
	"github.com/comporta-mcp/comporta/pkg/identity/mtls/issue"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeAuth answers what its functions say.
type fakeAuth struct {
	authv1.UnimplementedAuthServiceServer
	authenticate func(context.Context) (*authv1.AuthenticateResponse, error)
	release      func(context.Context) (*authv1.ReleaseResponse, error)
	asked        atomic.Int64
	keysAsked    atomic.Int64
	public       []byte
}

func (f *fakeAuth) Authenticate(ctx context.Context, _ *authv1.AuthenticateRequest) (*authv1.AuthenticateResponse, error) {
	f.asked.Add(1)
	if f.authenticate != nil {
		return f.authenticate(ctx)
	}
	return &authv1.AuthenticateResponse{Outcome: &authv1.AuthenticateResponse_Caller{Caller: caller()}}, nil
}

func (f *fakeAuth) Release(ctx context.Context, _ *authv1.ReleaseRequest) (*authv1.ReleaseResponse, error) {
	return f.release(ctx)
}

func (f *fakeAuth) SealingKey(context.Context, *authv1.SealingKeyRequest) (*authv1.SealingKeyResponse, error) {
	f.keysAsked.Add(1)
	return &authv1.SealingKeyResponse{PublicKeyset: f.public}, nil
}

// certificates makes files for both ends.
func certificates(t *testing.T) (server, client TLSFiles) {
	t.Helper()
	dir := t.TempDir()
	authority, err := issue.Authority("test", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ca := write("ca.pem", authority.Cert)
	end := func(name string) TLSFiles {
		leaf, err := issue.Leaf(authority, name, []string{"127.0.0.1"}, time.Now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return TLSFiles{CA: ca, Cert: write(name+".pem", leaf.Cert), Key: write(name+"-key.pem", leaf.Key)}
	}
	return end("server"), end("client")
}

// serve runs an auth at address until the test ends or stop is called, which
// cuts every connection as a killed process does.
func serve(t *testing.T, files TLSFiles, address string, auth *fakeAuth) (at string, stop func()) {
	t.Helper()
	source, err := mtls.Open(files, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.Creds(source.Server()))
	authv1.RegisterAuthServiceServer(server, auth)
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	stop = sync.OnceFunc(func() { server.Stop(); <-done })
	t.Cleanup(stop)
	return listener.Addr().String(), stop
}

func dial(t *testing.T, files TLSFiles, addresses ...string) *AuthClient {
	t.Helper()
	client, err := Dial(ClientConfig{Addresses: addresses, TLS: files})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func ask(t *testing.T, client *AuthClient) error {
	t.Helper()
	_, err := client.Authenticate(t.Context(), Credential{Token, "x"}, "build", "")
	return err
}

// TestNoCallFailsWhileOneOfTwoIsKilledAndStartedAgain kills each of two auths
// in turn, in the middle of calls.
func TestNoCallFailsWhileOneOfTwoIsKilledAndStartedAgain(t *testing.T) {
	serverFiles, clientFiles := certificates(t)
	slow := func() *fakeAuth { // so that calls are under way when it is killed
		return &fakeAuth{authenticate: func(ctx context.Context) (*authv1.AuthenticateResponse, error) {
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Millisecond):
			}
			return &authv1.AuthenticateResponse{Outcome: &authv1.AuthenticateResponse_Caller{Caller: caller()}}, ctx.Err()
		}}
	}
	first, stopFirst := serve(t, serverFiles, "127.0.0.1:0", slow())
	second, stopSecond := serve(t, serverFiles, "127.0.0.1:0", slow())
	client := dial(t, clientFiles, first, second)

	ctx, cancel := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	var calls atomic.Int64
	for range 8 {
		callers.Go(func() {
			for ctx.Err() == nil {
				if err := ask(t, client); err != nil {
					t.Errorf("a call failed: %v", err)
					return
				}
				calls.Add(1)
			}
		})
	}
	restart := func(address string, stop func()) {
		more(t, &calls, 100)
		stop()
		more(t, &calls, 100) // on the other one
		again := slow()
		serve(t, serverFiles, address, again)
		deadline := time.Now().Add(10 * time.Second)
		for again.asked.Load() < 50 { // until it has its share again
			if time.Now().After(deadline) {
				t.Fatal("the restarted auth is not asked")
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	restart(first, stopFirst)
	restart(second, stopSecond)
	cancel()
	callers.Wait()
}

// more waits until n more calls were answered.
func more(t *testing.T, calls *atomic.Int64, n int64) {
	t.Helper()
	until, deadline := calls.Load()+n, time.Now().Add(10*time.Second)
	for calls.Load() < until {
		if time.Now().After(deadline) {
			t.Fatal("calls are not answered any more")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestAnUnavailableReplicaIsReplacedByAnother(t *testing.T) {
	serverFiles, clientFiles := certificates(t)
	ill := &fakeAuth{authenticate: func(context.Context) (*authv1.AuthenticateResponse, error) {
		return nil, status.Error(codes.Unavailable, "not sure of revocations")
	}}
	first, _ := serve(t, serverFiles, "127.0.0.1:0", ill)
	second, _ := serve(t, serverFiles, "127.0.0.1:0", &fakeAuth{})
	client := dial(t, clientFiles, first, second)
	for range 20 {
		if err := ask(t, client); err != nil {
			t.Fatal(err)
		}
	}
	if ill.asked.Load() == 0 {
		t.Error("the ill replica was never asked, so that this test shows nothing")
	}
}

func TestALargeQuestionIsRepeatedToo(t *testing.T) {
	serverFiles, clientFiles := certificates(t)
	var asked atomic.Int64
	auth := &fakeAuth{release: func(context.Context) (*authv1.ReleaseResponse, error) {
		if asked.Add(1) < 3 {
			return nil, status.Error(codes.Unavailable, "not sure of revocations")
		}
		released := &authv1.Released{Caller: caller(), Payload: []byte("payload")}
		return &authv1.ReleaseResponse{Outcome: &authv1.ReleaseResponse_Released{Released: released}}, nil
	}}
	at, _ := serve(t, serverFiles, "127.0.0.1:0", auth)
	_, payload, err := dial(t, clientFiles, at).Release(t.Context(), &operationv1.Operation{Sealed: make([]byte, 3<<20)})
	if err != nil || string(payload) != "payload" {
		t.Errorf("released %q, %v", payload, err)
	}
}

func TestATroubleThatEveryReplicaHasIsNotMultiplied(t *testing.T) {
	serverFiles, clientFiles := certificates(t)
	auth := &fakeAuth{authenticate: func(ctx context.Context) (*authv1.AuthenticateResponse, error) {
		_ = grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", "-1"))
		return nil, status.Error(codes.Unavailable, "the platform is down")
	}}
	first, _ := serve(t, serverFiles, "127.0.0.1:0", auth)
	second, _ := serve(t, serverFiles, "127.0.0.1:0", auth)
	client := dial(t, clientFiles, first, second)
	err := ask(t, client)
	if _, refused := errors.AsType[*Refused](err); err == nil || refused {
		t.Errorf("the error is %v, want that nobody could be asked", err)
	}
	if asked := auth.asked.Load(); asked != 1 {
		t.Errorf("asked %d times, want 1", asked)
	}
}

func TestWithoutAnyAuthAQuestionFailsBeforeItsDeadline(t *testing.T) {
	_, clientFiles := certificates(t)
	gone := func() string { // a port that nobody listens on
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		return l.Addr().String()
	}
	client, err := Dial(ClientConfig{Addresses: []string{gone(), gone()}, TLS: clientFiles, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err = client.Authenticate(ctx, Credential{Token, "x"}, "build", "")
	if status.Code(errors.Unwrap(err)) != codes.Unavailable {
		t.Errorf("the error is %v, want Unavailable before any deadline", err)
	}
}

func TestAQuestionThatHangsEndsWithItsDeadline(t *testing.T) {
	serverFiles, clientFiles := certificates(t)
	at, _ := serve(t, serverFiles, "127.0.0.1:0", &fakeAuth{authenticate: func(ctx context.Context) (*authv1.AuthenticateResponse, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	client, err := Dial(ClientConfig{Addresses: []string{at}, TLS: clientFiles, Timeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Ready(t.Context()); err == nil {
		t.Error("an auth without a keyset is ready")
	}
	if err := ask(t, client); status.Code(errors.Unwrap(err)) != codes.DeadlineExceeded {
		t.Errorf("the error is %v, want DeadlineExceeded", err)
	}
}

func TestTheSealingKeyIsFetchedOnceAndAgainAfterItDidNotOpen(t *testing.T) {
	serverFiles, clientFiles := certificates(t)
	auth := &fakeAuth{public: publicKeyset(t), release: func(context.Context) (*authv1.ReleaseResponse, error) {
		return nil, status.Error(codes.FailedPrecondition, "cannot be opened")
	}}
	at, stop := serve(t, serverFiles, "127.0.0.1:0", auth)
	client := dial(t, clientFiles, at)
	sealOne := func() error {
		_, err := client.Seal(t.Context(), "op", "link", "Token x", []byte("payload"))
		return err
	}
	for range 3 {
		if err := sealOne(); err != nil {
			t.Fatal(err)
		}
	}
	if asked := auth.keysAsked.Load(); asked != 1 {
		t.Errorf("the key was asked for %d times, want 1", asked)
	}
	if _, _, err := client.Release(t.Context(), &operationv1.Operation{}); !errors.Is(err, ErrCannotOpen) {
		t.Errorf("the error is %v, want ErrCannotOpen", err)
	}
	if err := sealOne(); err != nil {
		t.Fatal(err)
	}
	if asked := auth.keysAsked.Load(); asked != 2 {
		t.Errorf("the key was asked for %d times, want 2", asked)
	}
	stop()
	if err := sealOne(); err != nil {
		t.Errorf("with the key in hand auth is not needed, but: %v", err)
	}
}

func TestAnAgedSealingKeyIsRefreshedBehindTheCaller(t *testing.T) {
	var key sealingKey
	start := time.Now()
	if _, _, refresh := key.get(start); refresh {
		t.Error("without a key the caller itself must fetch one")
	}
	key.set(nil, "", start)
	if s, _, refresh := key.get(start); s != nil || refresh {
		t.Error("no key is no key")
	}
	serverFiles, clientFiles := certificates(t)
	auth := &fakeAuth{public: publicKeyset(t)}
	at, _ := serve(t, serverFiles, "127.0.0.1:0", auth)
	client := dial(t, clientFiles, at)
	if err := client.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	client.key.mu.Lock()
	client.key.fetched = client.key.fetched.Add(-sealingKeyLife)
	client.key.mu.Unlock()
	var sealing sync.WaitGroup
	for range 10 {
		sealing.Go(func() {
			if _, err := client.Seal(t.Context(), "op", "link", "Token x", nil); err != nil {
				t.Error(err)
			}
		})
	}
	sealing.Wait()
	client.work.Wait()
	if asked := auth.keysAsked.Load(); asked != 2 {
		t.Errorf("the key was asked for %d times, want one refresh", asked-1)
	}
}

func publicKeyset(t *testing.T) []byte {
	t.Helper()
	private, err := keyset.NewHandle(hybrid.DHKEM_X25519_HKDF_SHA256_HKDF_SHA256_CHACHA20_POLY1305_Key_Template())
	if err != nil {
		t.Fatal(err)
	}
	public, err := private.Public()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := public.WriteWithNoSecrets(keyset.NewBinaryWriter(&out)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestAClientIsNotMadeOfABadConfiguration(t *testing.T) {
	_, files := certificates(t)
	tests := map[string]ClientConfig{
		"without addresses":            {TLS: files},
		"with an address without port": {Addresses: []string{"auth"}, TLS: files},
		"without certificates":         {Addresses: []string{"auth:8443"}},
		"with a negative time":         {Addresses: []string{"auth:8443"}, TLS: files, Timeout: -1},
		"with a key that does not fit": {Addresses: []string{"auth:8443"}, TLS: TLSFiles{CA: files.CA, Cert: files.CA, Key: files.Key}},
	}
	for name, cfg := range tests {
		t.Run(name, func(t *testing.T) {
			if client, err := Dial(cfg); err == nil {
				_ = client.Close()
				t.Error("it was made")
			}
		})
	}
}
