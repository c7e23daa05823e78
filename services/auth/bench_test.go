package auth

import (
	"testing"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// BenchmarkAuthenticate is the trip that every request of a host makes: mutual
// TLS on loopback, token and link in memory, 16 at once.
func BenchmarkAuthenticate(b *testing.B) {
	w := newWorld(b)
	client := w.client(w.start(nil))
	cred := identity.Credential{Scheme: identity.Token, Value: goodToken}
	b.SetParallelism(8)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := client.Authenticate(b.Context(), cred, "build", "192.0.2.7"); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
