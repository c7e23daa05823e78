package areamain

import (
	"errors"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/config"
	"github.com/comporta-mcp/comporta/pkg/host"
)

func TestAnAreaIsConfiguredAsItsHostIs(t *testing.T) {
	p := program(host.Area{Name: "build", Summary: "Builds things."})
	load := func(args ...string) error {
		return config.Load(&p.Defaults, config.Options{Name: p.Name, About: p.About, Args: args, Env: []string{}})
	}
	asked, ok := errors.AsType[*config.Asked](load("--help"))
	if !ok || !strings.Contains(asked.Text, "build-mcp") || !strings.Contains(asked.Text, "nats.url") {
		t.Errorf("--help prints %v, want the program's name and every setting", asked)
	}
	if err := load("--listen=nowhere"); err == nil || !strings.Contains(err.Error(), "listen") {
		t.Errorf("a wrong address gives %v, want the name of the setting", err)
	}
}
