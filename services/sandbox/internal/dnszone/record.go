// Package dnszone is what the platform checks in DNS records, by their type, and
// the keys that it makes where a zone is signed.
package dnszone

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/miekg/dns"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/engine"
)

// maxText is the longest string of a TXT record, in bytes (RFC 1035, 3.3.14, with
// the strings of one record put together).
const maxText = 65_535 / 256 * 255

// single are the types of which a name has one record with one value.
var single = map[string]bool{"CNAME": true, "ANAME": true}

// CheckRecord wants the values of a record to be what its type takes, and no other
// record in its way.
func CheckRecord(c *engine.Change) error {
	kind, _ := c.After["type"].(string)
	values, _ := c.After["rdata"].([]any)
	if len(values) == 0 {
		return engine.Invalid("/rdata", "At least one value is needed.")
	}
	if single[kind] && len(values) > 1 {
		return engine.Invalid("/rdata", fmt.Sprintf("%s takes one value.", kind))
	}
	for i, v := range values {
		text, _ := v.(string)
		if err := checkValue(kind, text); err != nil {
			return engine.Invalid("/rdata/"+strconv.Itoa(i), fmt.Sprintf("%q is no value of %s: %v.", text, kind, err))
		}
	}
	if kind == "CNAME" && c.After["name"] == "@" {
		return engine.Invalid("/type", "The domain itself cannot be a CNAME; take ANAME.")
	}
	return checkBeside(c, kind)
}

// checkBeside: a CNAME stands alone at its name, and a simple record alone with its
// type.
func checkBeside(c *engine.Change, kind string) error {
	others, err := c.Others()
	if err != nil {
		return err
	}
	for _, other := range others {
		if other["name"] != c.After["name"] {
			continue
		}
		switch {
		case (kind == "CNAME") != (other["type"] == "CNAME"):
			return engine.Invalid("/name", "A CNAME stands alone at its name, and there is another record.")
		case other["type"] == kind && (c.After["policy"] != "weighted" || other["policy"] != "weighted"):
			return engine.Invalid("/name", fmt.Sprintf("There is a %s record of this name; change it, or make both weighted.", kind))
		}
	}
	return nil
}

func checkValue(kind, text string) error {
	if strings.ContainsAny(text, "\r\n") {
		return fmt.Errorf("it has more than one line")
	}
	switch kind {
	case "A", "AAAA":
		ip := net.ParseIP(text)
		if ip == nil || (ip.To4() != nil) != (kind == "A") {
			return fmt.Errorf("it is no such address")
		}
		return nil
	case "TXT":
		if len(text) > maxText {
			return fmt.Errorf("it is longer than %d bytes", maxText)
		}
		return nil
	case "ANAME": // no type of the DNS: the platform looks the name up itself
		return checkName(text)
	}
	if strings.ContainsAny(text, "();$") {
		return fmt.Errorf("it has letters that mean something in a zone file")
	}
	record, err := dns.NewRR(". 60 IN " + kind + " " + text)
	if err != nil {
		return fmt.Errorf("it does not parse as one")
	}
	return checkTarget(record)
}

// checkTarget wants the host that a record leads to to be a name.
func checkTarget(record dns.RR) error {
	switch r := record.(type) {
	case *dns.CNAME:
		return checkName(r.Target)
	case *dns.MX:
		return checkName(r.Mx)
	case *dns.NS:
		return checkName(r.Ns)
	case *dns.PTR:
		return checkName(r.Ptr)
	case *dns.SRV:
		return checkName(r.Target)
	}
	return nil
}

func checkName(text string) error {
	labels, ok := dns.IsDomainName(text)
	if !ok || labels < 2 || net.ParseIP(strings.TrimSuffix(text, ".")) != nil {
		return fmt.Errorf("it is no host name")
	}
	return nil
}
