package host

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// origin is a browser origin; port "*" stands for every port.
type origin struct{ scheme, host, port string }

func parseOrigin(text string) (origin, error) {
	trimmed, anyPort := strings.CutSuffix(text, ":*")
	u, err := url.Parse(trimmed)
	if err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return origin{}, fmt.Errorf("%q is no origin such as https://example.com", text)
	}
	o := origin{strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()}
	switch {
	case anyPort:
		o.port = "*"
	case o.port == "":
		o.port = defaultPort(o.scheme)
	}
	return o, nil
}

func defaultPort(scheme string) string {
	return map[string]string{"http": "80", "https": "443"}[scheme]
}

func (o origin) covers(other origin) bool {
	return o.scheme == other.scheme && o.host == other.host && (o.port == "*" || o.port == other.port)
}

// neighbours knows which origins and host names may talk to this host. Together
// they stop a web page that had its own name point here (DNS rebinding).
type neighbours struct {
	origins []origin
	hosts   []string
}

func newNeighbours(cfg Config, public *url.URL) (*neighbours, error) {
	n := &neighbours{}
	for _, text := range append([]string{public.Scheme + "://" + public.Host}, cfg.AllowedOrigins...) {
		o, err := parseOrigin(text)
		if err != nil {
			return nil, err
		}
		n.origins = append(n.origins, o)
	}
	n.hosts = append(n.hosts, strings.ToLower(public.Hostname()))
	for _, name := range cfg.AllowedHosts {
		n.hosts = append(n.hosts, strings.ToLower(hostName(name)))
	}
	if isLoopback(public.Hostname()) {
		n.hosts = append(n.hosts, "localhost", "127.0.0.1", "::1")
	}
	return n, nil
}

// originAllowed judges a request's Origin; an absent one is fine (contract §2).
func (n *neighbours) originAllowed(r *http.Request) bool {
	values := r.Header.Values("Origin")
	switch len(values) {
	case 0:
		return true
	case 1:
		o, err := parseOrigin(values[0])
		return err == nil && slices.ContainsFunc(n.origins, func(allowed origin) bool { return allowed.covers(o) })
	default:
		return false
	}
}

func (n *neighbours) hostAllowed(r *http.Request) bool {
	return slices.Contains(n.hosts, strings.ToLower(hostName(r.Host)))
}

// hostName is a Host header without its port; ports differ behind proxies.
func hostName(hostport string) string {
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		return name
	}
	return strings.Trim(hostport, "[]")
}

func isLoopback(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}
