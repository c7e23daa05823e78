package areamain

import (
	"errors"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/config"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/internal/process"
)

func load[C any](p process.Program[C], args ...string) (C, error) {
	cfg := p.Defaults
	err := config.Load(&cfg, config.Options{Name: p.Name, About: p.About, Args: args, Env: []string{}})
	return cfg, err
}

func TestAnAreaIsConfiguredAsItsHostIs(t *testing.T) {
	p := program(struct{}{}, func(struct{}) host.Area { return host.Area{Name: "build", Summary: "Builds things."} })
	_, err := load(p, "--help")
	asked, ok := errors.AsType[*config.Asked](err)
	if !ok || !strings.Contains(asked.Text, "build-mcp") || !strings.Contains(asked.Text, "nats.url") {
		t.Errorf("--help prints %v, want the program's name and every setting", asked)
	}
	if _, err := load(p, "--listen=nowhere"); err == nil || strings.Count(err.Error(), "listen must") != 1 {
		t.Errorf("a wrong address gives %v, want the name of the setting, once", err)
	}
}

// ice is what an area of its own might have to set.
type ice struct {
	Flavour string `key:"ice.flavour" help:"which one"`
}

func (i ice) Validate() error {
	if i.Flavour == "mud" {
		return errors.New("mud is no flavour")
	}
	return nil
}

func TestAnAreasOwnSettingsStandBesideThoseOfItsHost(t *testing.T) {
	p := program(ice{"plain"}, func(i ice) host.Area { return host.Area{Name: "build", Summary: i.Flavour} })
	good := []string{"--auth-url=https://auth.example.com", "--platform.url=https://api.example.com/v4",
		"--nats.url=nats://127.0.0.1:4222", "--auth.addresses=127.0.0.1:1", "--auth.tls.ca=a", "--auth.tls.cert=b", "--auth.tls.key=c"}
	cfg, err := load(p, append(good, "--ice.flavour=lemon")...)
	if err != nil || cfg.Own.Flavour != "lemon" || cfg.Host.AuthURL != "https://auth.example.com" {
		t.Errorf("got %+v, %v", cfg, err)
	}
	if _, err := load(p, append(good, "--ice.flavour=mud")...); err == nil || !strings.Contains(err.Error(), "mud is no flavour") {
		t.Errorf("a wrong flavour gives %v", err)
	}
}
