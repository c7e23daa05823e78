package host

import (
	"net/netip"
	"sync"
	"time"

	"github.com/comporta-mcp/comporta/pkg/quota"
)

// pings counts what an address sends without authentication. It is each host's
// own count: who cannot be told from a flood must not reach a store.
type pings struct {
	limit quota.Limit
	now   func() time.Time

	mu    sync.Mutex
	times map[string][]time.Time // ascending, at most limit.Count
}

// maxPingers bounds the memory a flood from many addresses can take; beyond it
// new addresses are refused until a window has passed.
const maxPingers = 1 << 16

func newPings(limit quota.Limit, now func() time.Time) *pings {
	return &pings{limit: limit, now: now, times: map[string][]time.Time{}}
}

// take reports whether the address may send one more, and counts it if so.
func (p *pings) take(address string) bool {
	key, now := network(address), p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	recent := p.fresh(p.times[key], now)
	if len(recent) >= p.limit.Count {
		return false
	}
	if len(recent) == 0 && len(p.times) >= maxPingers && !p.sweep(now) {
		return false
	}
	p.times[key] = append(recent, now)
	return true
}

// sweep forgets who was silent for a window and reports whether there is room.
func (p *pings) sweep(now time.Time) bool {
	for key, times := range p.times {
		if len(p.fresh(times, now)) == 0 {
			delete(p.times, key)
		}
	}
	return len(p.times) < maxPingers
}

func (p *pings) fresh(times []time.Time, now time.Time) []time.Time {
	for len(times) > 0 && now.Sub(times[0]) >= p.limit.Window {
		times = times[1:]
	}
	return times
}

// network is whom to count: an IPv4 address, or the /64 that one IPv6 customer has whole.
func network(address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil || addr.Is4() {
		return address
	}
	prefix, err := addr.WithZone("").Prefix(64)
	if err != nil {
		return address
	}
	return prefix.String()
}
