package bus

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Config says how to reach NATS.
type Config struct {
	URL      string `help:"NATS servers, separated by commas"`
	Replicas int    `help:"copies of each stream and bucket: 1, or 3 in a cluster"`
	// CredentialsFile is a NATS .creds file; "" for none.
	CredentialsFile string `help:"NATS .creds file; empty: none"`
	TLS             TLSFiles
	// AuditRetention is how long audit records stay; 0 means 90 days.
	AuditRetention time.Duration `help:"how long audit records stay; 0: 90 days"`
}

// Validate lists all faults.
func (c Config) Validate() error {
	var faults []error
	if strings.TrimSpace(c.URL) == "" {
		faults = append(faults, errors.New("url is missing: give the NATS servers, such as nats://nats:4222"))
	}
	switch c.Replicas {
	case 0, 1, 3, 5: // what JetStream can keep a majority of; 0 means 1
	default:
		faults = append(faults, fmt.Errorf("replicas must be 1, 3 or 5, not %d", c.Replicas))
	}
	if c.AuditRetention < 0 {
		faults = append(faults, errors.New("audit-retention must not be negative"))
	}
	return errors.Join(faults...)
}

// shownURL is c.URL without passwords and tokens, for errors and logs.
func (c Config) shownURL() string {
	servers := strings.Split(c.URL, ",")
	for i, server := range servers {
		server = strings.TrimSpace(server)
		u, err := url.Parse(server)
		switch {
		case err != nil:
			servers[i] = "[not a URL]"
		case u.User != nil:
			servers[i] = u.Scheme + "://" + u.Host
		default:
			servers[i] = server
		}
	}
	return strings.Join(servers, ",")
}
