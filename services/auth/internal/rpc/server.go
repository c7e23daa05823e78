package rpc

import (
	"context"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
)

// maxMessage bounds a message, in bytes: a body of 4 MiB (contract §2), sealed, and room.
const maxMessage = 8 << 20

// NewServer makes the gRPC server with the service and gRPC's health service on it.
func NewServer(s *Service, creds credentials.TransportCredentials, log *slog.Logger, traces trace.TracerProvider) (*grpc.Server, *health.Server) {
	server := grpc.NewServer(
		grpc.Creds(creds),
		grpc.StatsHandler(otelgrpc.NewServerHandler(
			otelgrpc.WithTracerProvider(traces),
			otelgrpc.WithPropagators(propagation.TraceContext{}),
		)),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxSendMsgSize(maxMessage),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			Time:    20 * time.Second,
			Timeout: 5 * time.Second,
			// Clients look the name up again: new replicas get their share, and
			// certificates that were replaced are out of use after this.
			MaxConnectionAge:      10 * time.Minute,
			MaxConnectionAgeGrace: 30 * time.Second,
		}),
		grpc.ChainUnaryInterceptor(logging(log), recovering(log)),
	)
	authv1.RegisterAuthServiceServer(server, s)
	healthy := health.NewServer()
	healthv1.RegisterHealthServer(server, healthy)
	healthy.SetServingStatus(authv1.AuthService_ServiceDesc.ServiceName, healthv1.HealthCheckResponse_SERVING)
	return server, healthy
}

// recovering turns a panic into an error. What was thrown may hold anything, a
// token too, so that only the runtime's own errors are logged.
func recovering(log *slog.Logger) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (answer any, err error) {
		defer func() {
			thrown := recover()
			if thrown == nil {
				return
			}
			what := "something else than a runtime error"
			if fault, ok := thrown.(runtime.Error); ok {
				what = fault.Error()
			}
			log.ErrorContext(ctx, "panic", "method", info.FullMethod, "error", what, "stack", string(debug.Stack()))
			answer, err = nil, status.Error(codes.Internal, "auth failed in an unexpected way")
		}()
		return next(ctx, request)
	}
}
