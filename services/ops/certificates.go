package ops

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/comporta-mcp/comporta/pkg/identity/mtls/issue"
)

// Certificates is the configuration of the command certificates. The names are
// those of the chart's objects for a release called Release.
type Certificates struct {
	Release   string        `help:"name of the release"`
	Namespace string        `help:"its namespace"`
	Prefix    string        `help:"what the Secrets' names begin with"`
	Names     []string      `help:"further DNS names and IP addresses of auth and NATS"`
	Life      time.Duration `help:"how long the certificates are good"`
	// Trust keeps connections alive while one authority takes the place of another.
	Trust string `help:"PEM file with a former authority that stays trusted; empty: none"`
}

func certificatesDefaults() Certificates {
	return Certificates{Release: "comporta", Namespace: "comporta", Prefix: "comporta-internal-", Life: 365 * 24 * time.Hour}
}

// Validate lists all faults.
func (c Certificates) Validate() error {
	var faults []error
	if c.Release == "" || c.Namespace == "" {
		faults = append(faults, errors.New("release, namespace: must be named"))
	}
	if c.Life < 24*time.Hour {
		faults = append(faults, errors.New("life: must be at least 24h"))
	}
	return errors.Join(faults...)
}

// hosts are the names by which a party is reached.
func (c Certificates) hosts() map[string][]string {
	below := func(name string) []string {
		return []string{name, name + "." + c.Namespace, name + "." + c.Namespace + ".svc"}
	}
	local := append([]string{"localhost", "127.0.0.1"}, c.Names...)
	nats := c.Release + "-nats"
	return map[string][]string{
		"auth":   append(below(c.Release+"-auth-grpc"), local...),
		"client": {c.Release + "-client"},
		"nats":   append(append(below(nats), below("*."+nats+"-headless")...), local...),
	}
}

// secret is a Secret of Kubernetes as kubectl takes it.
type secret struct {
	APIVersion string            `yaml:"apiVersion"`
	Kind       string            `yaml:"kind"`
	Metadata   map[string]string `yaml:"metadata"`
	Type       string            `yaml:"type"`
	StringData map[string]string `yaml:"stringData"`
}

// Run writes the Secrets to out.
func (c Certificates) Run(out io.Writer) error {
	now := time.Now()
	authority, err := issue.Authority(c.Release+" internal authority", now, c.Life)
	if err != nil {
		return err
	}
	trusted := string(authority.Cert)
	if c.Trust != "" {
		former, err := os.ReadFile(c.Trust)
		if err != nil {
			return fmt.Errorf("trust: %w", err)
		}
		trusted += string(former)
	}
	documents := yaml.NewEncoder(out)
	documents.SetIndent(2)
	hosts := c.hosts()
	for _, party := range []string{"auth", "client", "nats"} {
		leaf, err := issue.Leaf(authority, c.Release+"-"+party, hosts[party], now, c.Life)
		if err != nil {
			return err
		}
		err = documents.Encode(secret{
			APIVersion: "v1", Kind: "Secret", Type: "kubernetes.io/tls",
			Metadata:   map[string]string{"name": c.Prefix + party, "namespace": c.Namespace},
			StringData: map[string]string{"ca.crt": trusted, "tls.crt": string(leaf.Cert), "tls.key": string(leaf.Key)},
		})
		if err != nil {
			return err
		}
	}
	return documents.Close()
}
