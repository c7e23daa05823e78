package mtls

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"

	"google.golang.org/grpc/credentials"
)

// Client gives a gRPC client's credentials: the server must be signed by the
// CA and hold the dialled host's name, or Files.ServerName where that is set.
func (s *Source) Client() credentials.TransportCredentials { return &client{source: s} }

// client makes fresh credentials for each handshake, since a tls.Config has no
// hook for changing roots that keeps the standard verification.
type client struct{ source *Source }

func (c *client) now() credentials.TransportCredentials {
	m := c.source.current()
	return credentials.NewTLS(&tls.Config{
		MinVersion:   tls.VersionTLS13,
		ServerName:   c.source.files.ServerName,
		RootCAs:      m.roots,
		Certificates: []tls.Certificate{m.cert},
	})
}

// ClientHandshake makes the connection secure with the certificates of now.
func (c *client) ClientHandshake(ctx context.Context, authority string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	// gRPC verifies the name that it is given here, whatever the configuration says.
	return c.now().ClientHandshake(ctx, cmp.Or(c.source.files.ServerName, authority), raw)
}

// ServerHandshake is not for this end; it fails.
func (c *client) ServerHandshake(net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, net.ErrClosed
}

// Info describes the protocol to gRPC.
func (c *client) Info() credentials.ProtocolInfo { return c.now().Info() }

// Clone gives credentials over the same source.
func (c *client) Clone() credentials.TransportCredentials { return &client{source: c.source} }

// OverrideServerName is gRPC's deprecated way; Files.ServerName is ours.
func (c *client) OverrideServerName(string) error { return nil }
