package certificate

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/engine"
)

// Under this top-level domain nobody has a host (RFC 2606): orders for one fail.
const nobodys = ".invalid"

// order begins what ends with a certificate, or with the authority's refusal.
func order(c *engine.Change) error {
	hosts := hosts(c)
	key, err := newKey(text(c.Said["key_algorithm"]))
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	issued, err := issue(key, hosts, c.At)
	if err != nil {
		return err
	}
	if c.After[ownKey], err = keyText(key); err != nil {
		return fmt.Errorf("write a key: %w", err)
	}
	i := slices.IndexFunc(hosts, func(host string) bool { return strings.HasSuffix(host, nobodys) })
	if i >= 0 {
		c.After[fails] = "The challenge for " + hosts[i] + " was not met."
	}
	maps.Copy(c.After, map[string]any{
		"certificate": issued, "managed": true, "key_algorithm": algorithm(key.Public()),
		"subject_name": anyOf(hosts), "status": "pending", "status_detail": "",
		verifyAt: moment(c.At.Add(c.Pending / 2)), doneAt: moment(c.At.Add(c.Pending)),
	})
	return nil
}

// request makes a key and what an authority of the caller's choice signs.
func request(c *engine.Change) error {
	hosts := hosts(c)
	key, err := newKey(text(c.Said["key_algorithm"]))
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	one := func(name string) []string { return []string{text(c.Said[name])} }
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{
			CommonName: hosts[0], Country: one("country"), Province: one("state"), Locality: one("locality"),
			Organization: one("organization"), OrganizationalUnit: one("organization_unity"),
		},
		DNSNames: hosts, EmailAddresses: one("email"),
	}, key)
	if err != nil {
		return engine.Invalid("/email", "No request can be made of this: "+err.Error()+".")
	}
	if c.After[ownKey], err = keyText(key); err != nil {
		return fmt.Errorf("write a key: %w", err)
	}
	maps.Copy(c.After, map[string]any{
		"csr": armour("CERTIFICATE REQUEST", der), "key_algorithm": algorithm(key.Public()),
		"subject_name": anyOf(hosts), "status": "pending", "status_detail": "It waits for its certificate.",
	})
	return nil
}

// Show is an order as far as the authority is with it.
func Show(data map[string]any, at time.Time) {
	done, err := time.Parse(time.RFC3339Nano, text(data[doneAt]))
	if err != nil {
		showUpload(data)
		return
	}
	verify, _ := time.Parse(time.RFC3339Nano, text(data[verifyAt]))
	switch why := text(data[fails]); {
	case at.Before(verify):
		data["status"], data["certificate"] = "pending", nil
	case at.Before(done):
		data["status"], data["certificate"] = "challenge_verification", nil
	case why != "":
		data["status"], data["status_detail"], data["certificate"] = "failed", why, nil
	default:
		data["status"], data["renewed_at"] = "active", moment(done)
		if chain, err := parseChain(text(data["certificate"])); err == nil {
			data["issuer"] = chain[0].Issuer.String()
			data["validity"] = chain[0].NotAfter.UTC().Format(time.RFC3339)
		}
	}
}

// showUpload is pending as long as there is no certificate.
func showUpload(data map[string]any) {
	data["status"] = "active"
	if text(data["certificate"]) == "" {
		data["status"] = "pending"
	}
}

func hosts(c *engine.Change) []string {
	all := []string{text(c.Said["common_name"])}
	more, _ := c.Said["alternative_names"].([]any)
	for _, name := range more {
		if !slices.Contains(all, text(name)) {
			all = append(all, text(name))
		}
	}
	return all
}

func anyOf(list []string) []any {
	all := []any{}
	for _, one := range list {
		all = append(all, one)
	}
	return all
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
