package client

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// errInner is a connection to an address that is not public.
var errInner = errors.New("not a public address")

// Public is a transport that reaches public addresses only. The address is judged
// when the connection is made, so that a name which resolves to something else
// the second time gains nothing. It uses no proxy.
func Public() *http.Transport {
	dialer := &net.Dialer{Timeout: fetchTime, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || !isPublic(at.Addr()) || at.Port() != 443 {
			return fmt.Errorf("connect to the client's host: %w", errInner)
		}
		return nil
	}}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    fetchTime,
		ResponseHeaderTimeout:  fetchTime,
		MaxResponseHeaderBytes: 16 << 10,
		MaxIdleConns:           10,
		IdleConnTimeout:        10 * time.Second,
		DisableCompression:     true, // a small document that becomes a large one
		ForceAttemptHTTP2:      true,
	}
}

// special are networks that are no place for a client's document, beside those
// that netip knows (RFC 6890 and its successors).
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // carrier-grade NAT
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), // NAT64: an IPv4 address inside
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), // Teredo and others
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // 6to4: an IPv4 address inside
	netip.MustParsePrefix("fec0::/10"),
}

func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap()
	return addr.IsGlobalUnicast() && !addr.IsPrivate() && addr.Zone() == "" &&
		!slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(addr) })
}
