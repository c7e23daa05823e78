package dnszone

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/miekg/dns"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/engine"
)

// readyAt is the stored field, shown to nobody, of the moment at which a zone's
// keys are in place.
const readyAt = "_ready_at"

// CheckDNSSEC makes a key for a zone that begins to be signed, and forgets that of
// one that no longer is.
func CheckDNSSEC(c *engine.Change) error {
	switch enabled := c.After["enabled"] == true; {
	case !enabled:
		c.After["status"], c.After["delegation_signer"] = "unconfigured", nil
		delete(c.After, readyAt)
		return nil
	case c.Before[readyAt] != nil:
		for _, name := range []string{readyAt, "status", "delegation_signer"} {
			c.After[name] = c.Before[name]
		}
		return nil
	}
	zone, err := c.Above()
	if err != nil {
		return err
	}
	domain, _ := zone["domain"].(string)
	signer, err := delegationSigner(domain)
	if err != nil {
		return err
	}
	c.After["status"], c.After["delegation_signer"] = "waiting", signer
	c.After[readyAt] = c.At.Add(c.Pending).Format(time.RFC3339Nano)
	return nil
}

// ShowDNSSEC is ready once the keys are in place.
func ShowDNSSEC(data map[string]any, at time.Time) {
	text, _ := data[readyAt].(string)
	ready, err := time.Parse(time.RFC3339Nano, text)
	switch {
	case err != nil:
		data["status"] = "unconfigured"
	case at.Before(ready):
		data["status"] = "waiting"
	default:
		data["status"] = "ready"
	}
}

// delegationSigner is the DS record of a new key of a domain. The key itself is
// thrown away: nothing answers for the sandbox's zones.
func delegationSigner(domain string) (map[string]any, error) {
	key := &dns.DNSKEY{
		Hdr:       dns.RR_Header{Name: dns.Fqdn(domain), Rrtype: dns.TypeDNSKEY, Class: dns.ClassINET, Ttl: 3600},
		Flags:     dns.ZONE | dns.SEP,
		Protocol:  3, // RFC 4034, 2.1.2
		Algorithm: dns.ECDSAP256SHA256,
	}
	if _, err := key.Generate(256); err != nil {
		return nil, fmt.Errorf("make a zone's key: %w", err)
	}
	ds := key.ToDS(dns.SHA256)
	return map[string]any{
		"algorithm_type": named(ds.Algorithm, dns.AlgorithmToString[ds.Algorithm]),
		"digest":         ds.Digest,
		"digest_type":    named(ds.DigestType, dns.HashToString[ds.DigestType]),
		"key_tag":        json.Number(strconv.Itoa(max(1, int(ds.KeyTag)))),
	}, nil
}

func named(id uint8, slug string) map[string]any {
	return map[string]any{"id": json.Number(strconv.Itoa(int(id))), "slug": slug}
}
