package identity

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies finds the client's network address behind the proxies that are trusted.
type Proxies []netip.Prefix

// ParseProxies reads networks such as 10.0.0.0/8.
func ParseProxies(networks []string) (Proxies, error) {
	var ps Proxies
	for _, text := range networks {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, err
		}
		ps = append(ps, p.Masked())
	}
	return ps, nil
}

// Address is the nearest address that is no trusted proxy. What stands further
// left in X-Forwarded-For was written by whoever sits there and proves nothing.
func (ps Proxies) Address(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	nearest := peer.Addr().Unmap()
	if !ps.trust(nearest) {
		return nearest.String()
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		addr, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		nearest = addr.Unmap()
		if !ps.trust(nearest) {
			break
		}
	}
	return nearest.String()
}

func (ps Proxies) trust(addr netip.Addr) bool {
	return slices.ContainsFunc(ps, func(p netip.Prefix) bool { return p.Contains(addr) })
}
