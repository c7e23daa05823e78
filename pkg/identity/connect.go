package identity

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/propagation"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/dns"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/protobuf/proto"
)

// serviceConfig spreads the questions over all replicas and repeats an
// UNAVAILABLE one, which round_robin sends to the next replica. Auth itself
// says (pushback) when a repeat elsewhere would find the same trouble.
const serviceConfig = `{
	"loadBalancingConfig": [{"round_robin": {}}],
	"methodConfig": [{
		"name": [{"service": "auth.v1.AuthService"}],
		"waitForReady": false,
		"retryPolicy": {
			"maxAttempts": 4,
			"initialBackoff": "0.02s",
			"maxBackoff": "0.2s",
			"backoffMultiplier": 3,
			"retryableStatusCodes": ["UNAVAILABLE"]
		}
	}]
}`

// maxMessage bounds a message, in bytes: a body of 4 MiB (contract §2), sealed, and room.
const maxMessage = 8 << 20

// askNamesAgain is how soon auth's name may be asked again after an address of it failed.
// gRPC's own 30 s are longer than a rolling restart takes: when every replica has been
// replaced within them, a host would dial only those that are gone until they are over.
const askNamesAgain = time.Second

// It belongs to the whole process, and may be set only before the first connection.
func init() { dns.SetMinResolutionInterval(askNamesAgain) }

// Validate lists every fault of the addresses and the time.
func (cfg ClientConfig) Validate() error {
	var faults []error
	if len(cfg.Addresses) == 0 {
		faults = append(faults, errors.New("addresses: name at least one address of auth as host:port"))
	}
	for _, address := range cfg.Addresses {
		if _, port, err := net.SplitHostPort(address); err != nil || port == "" {
			faults = append(faults, fmt.Errorf("addresses: %q is not host:port", address))
		}
	}
	if cfg.Timeout < 0 {
		faults = append(faults, errors.New("timeout: cannot be negative"))
	}
	return errors.Join(faults...)
}

func connect(cfg ClientConfig, creds credentials.TransportCredentials) (*grpc.ClientConn, error) {
	tracing := []otelgrpc.Option{otelgrpc.WithPropagators(propagation.TraceContext{})}
	if cfg.Traces != nil {
		tracing = append(tracing, otelgrpc.WithTracerProvider(cfg.Traces))
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		grpc.WithDefaultServiceConfig(serviceConfig),
		grpc.WithDisableServiceConfig(), // the DNS does not configure us
		grpc.WithStatsHandler(otelgrpc.NewClientHandler(tracing...)),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(maxMessage),
			grpc.MaxCallSendMsgSize(maxMessage),
			grpc.MaxRetryRPCBufferSize(maxMessage), // a larger question than this is never repeated
		),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 2 * time.Second, PermitWithoutStream: true}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second},
			MinConnectTimeout: time.Second,
		}),
		grpc.WithIdleTimeout(0), // the next call must not wait for a handshake
	}
	target := "dns:///" + cfg.Addresses[0]
	if len(cfg.Addresses) > 1 {
		replicas := fixed(cfg.Addresses)
		options = append(options, grpc.WithResolvers(replicas))
		target = replicas.Scheme() + ":///auth"
	}
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		return nil, err
	}
	conn.Connect()
	return conn, nil
}

// fixed resolves to a fixed list of replicas, each with its own name in its certificate.
func fixed(addresses []string) *manual.Resolver {
	r := manual.NewBuilderWithScheme("auth-replicas")
	state := resolver.State{}
	for _, address := range addresses {
		host, _, _ := net.SplitHostPort(address) // Validate has checked it
		at := resolver.Address{Addr: address, ServerName: strings.ToLower(host)}
		state.Endpoints = append(state.Endpoints, resolver.Endpoint{Addresses: []resolver.Address{at}})
	}
	r.InitialState(state)
	return r
}

func marshal(m proto.Message) ([]byte, error) {
	data, err := proto.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode what is to be sealed: %w", err)
	}
	return data, nil
}
