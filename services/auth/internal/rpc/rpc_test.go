package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/comporta-mcp/comporta/pkg/identity"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/grant"
	"github.com/comporta-mcp/comporta/services/auth/internal/person"
	"github.com/comporta-mcp/comporta/services/auth/internal/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type fakes struct {
	check  func() (*token.Owner, error)
	ensure func(link.Record) (*link.Record, error)
	open   func() ([]byte, error)
	used   int
}

func (f *fakes) CheckFrom(ctx context.Context, _ string, t identity.Secret) (*token.Owner, error) {
	return f.Check(ctx, t)
}

func (f *fakes) Check(context.Context, identity.Secret) (*token.Owner, error) { return f.check() }
func (f *fakes) Prove(context.Context, identity.Secret) (*token.Owner, error) { return f.check() }
func (f *fakes) Get(context.Context, string) (*link.Record, error)            { return nil, link.ErrNone }
func (f *fakes) Access(context.Context, identity.Secret) (grant.Access, bool) {
	return grant.Access{}, false
}
func (f *fakes) Ensure(_ context.Context, r link.Record) (*link.Record, error) {
	return f.ensure(r)
}
func (f *fakes) Used(*link.Record, link.Record)                       { f.used++ }
func (f *fakes) Public() []byte                                       { return []byte("public") }
func (f *fakes) Open(context.Context, []byte, []byte) ([]byte, error) { return f.open() }

func ana() (*token.Owner, error) {
	return &token.Owner{Sum: token.Sum{1}, Person: person.Person{ID: 7, CompanyID: 1001}}, nil
}

func active(r link.Record) (*link.Record, error) {
	r.State, r.Version = link.Active, 1
	return &r, nil
}

// serve gives a client of a service over these fakes, and its log.
func serve(t *testing.T, f *fakes) (*grpc.ClientConn, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	service := &Service{Tokens: f, Links: f, Keys: f, Grants: f, Now: time.Now, Areas: []string{"build"}, Metrics: NewMetrics(prometheus.NewRegistry())}
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server, _ := NewServer(service, insecure.NewCredentials(), logger, noop.NewTracerProvider())
	listener := bufconn.Listen(1 << 20)
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///auth",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(); server.Stop(); <-done })
	return conn, &log
}

func authenticate(t *testing.T, conn *grpc.ClientConn, r *authv1.AuthenticateRequest) (*authv1.AuthenticateResponse, string, error) {
	t.Helper()
	var trailer metadata.MD
	answer, err := authv1.NewAuthServiceClient(conn).Authenticate(t.Context(), r, grpc.Trailer(&trailer))
	return answer, strings.Join(trailer.Get("grpc-retry-pushback-ms"), ","), err
}

func TestATroubleIsRepeatedElsewhereOnlyWhereThatHelps(t *testing.T) {
	tests := []struct {
		name     string
		check    error
		ensure   error
		code     codes.Code
		pushback string
	}{
		{"the platform answered an error", fmt.Errorf("check: %w", &person.Answered{Status: 502}), nil, codes.Unavailable, "-1"},
		{"the platform asks to wait", fmt.Errorf("check: %w", &person.Busy{For: time.Second}), nil, codes.Unavailable, "-1"},
		{"the platform was not reached from here", errors.New("connection refused"), nil, codes.Unavailable, ""},
		{"this replica is not sure of the link", nil, errors.New("NATS is away"), codes.Unavailable, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			conn, _ := serve(t, &fakes{
				check: func() (*token.Owner, error) {
					if test.check != nil {
						return nil, test.check
					}
					return ana()
				},
				ensure: func(link.Record) (*link.Record, error) { return nil, test.ensure },
			})
			_, pushback, err := authenticate(t, conn, &authv1.AuthenticateRequest{Scheme: authv1.Scheme_SCHEME_TOKEN, Area: "build"})
			if status.Code(err) != test.code || pushback != test.pushback {
				t.Errorf("answered %v with the pushback %q, want %s and %q", err, pushback, test.code, test.pushback)
			}
		})
	}
}

func TestOnlyWhatWasAcceptedCountsAsAUse(t *testing.T) {
	f := &fakes{check: ana, ensure: active}
	conn, _ := serve(t, f)
	tests := []struct {
		name string
		area string
		link func(link.Record) (*link.Record, error)
		want int
	}{
		{"an area that there is not", "billing", active, 0},
		{"a link in a state that nobody knows", "build", func(r link.Record) (*link.Record, error) { r.State = "?"; return &r, nil }, 0},
		{"an accepted call", "build", active, 1},
	}
	for _, test := range tests {
		f.ensure, f.used = test.link, 0
		_, _, err := authenticate(t, conn, &authv1.AuthenticateRequest{Scheme: authv1.Scheme_SCHEME_TOKEN, Area: test.area})
		if err != nil || f.used != test.want {
			t.Errorf("%s: %d uses (%v), want %d", test.name, f.used, err, test.want)
		}
	}
}

func TestARequestWithoutASchemeIsAMistakeOfTheCaller(t *testing.T) {
	conn, _ := serve(t, &fakes{})
	_, _, err := authenticate(t, conn, &authv1.AuthenticateRequest{Credential: "x"})
	if status.Code(err) != codes.InvalidArgument {
		t.Errorf("answered %v", err)
	}
}

func TestAPanicIsAnErrorThatTellsNothing(t *testing.T) {
	f := &fakes{check: func() (*token.Owner, error) { panic("thrown with CANARY") }}
	conn, log := serve(t, f)
	_, _, err := authenticate(t, conn, &authv1.AuthenticateRequest{Scheme: authv1.Scheme_SCHEME_TOKEN, Credential: "CANARY"})
	if status.Code(err) != codes.Internal {
		t.Errorf("answered %v", err)
	}
	if text := log.String() + err.Error(); strings.Contains(text, "CANARY") || !strings.Contains(text, "stack") {
		t.Errorf("the log must hold the stack and not what was thrown:\n%s", text)
	}
	f.check, f.ensure = ana, active
	if _, _, err := authenticate(t, conn, &authv1.AuthenticateRequest{Scheme: authv1.Scheme_SCHEME_TOKEN, Area: "build"}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestTheHealthServiceAnswers(t *testing.T) {
	conn, _ := serve(t, &fakes{})
	for _, service := range []string{"", "auth.v1.AuthService"} {
		answer, err := healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{Service: service})
		if err != nil || answer.GetStatus() != healthv1.HealthCheckResponse_SERVING {
			t.Errorf("%q: %v, %v", service, answer, err)
		}
	}
}

func TestOneLineOfLogASecond(t *testing.T) {
	var lines perSecond
	start := time.Now()
	var told []int
	for ms := 0; ms < 3000; ms += 100 {
		if untold, may := lines.take(start.Add(time.Duration(ms) * time.Millisecond)); may {
			told = append(told, untold)
		}
	}
	if len(told) != 3 || told[0] != 0 || told[1] != 9 || told[2] != 9 {
		t.Errorf("told with %v untold before, want 0, 9, 9", told)
	}
}
