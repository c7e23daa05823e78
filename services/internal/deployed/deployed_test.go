package deployed

import (
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/comporta-mcp/comporta/pkg/config"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/auth"
	"github.com/comporta-mcp/comporta/services/docs"
	"github.com/comporta-mcp/comporta/services/observe"
	"github.com/comporta-mcp/comporta/services/sandbox"
	"github.com/comporta-mcp/comporta/services/worker"
)

// area is the configuration of a host with settings of its own, as areamain has it.
type area[Own any] struct {
	Host host.Config `key:",inline"`
	Own  Own         `key:",inline"`
}

// settings are what each service fills, by its row in the chart.
func settings() map[string]any {
	plain := func() any { return &area[struct{}]{Host: host.Defaults()} }
	a, w, s := auth.Defaults(), worker.Defaults(), sandbox.Defaults()
	return map[string]any{
		"auth": &a, "worker": &w, "sandbox": &s, "build": plain(), "secure": plain(), "storage": plain(),
		"docs":    &area[docs.Config]{host.Defaults(), docs.Defaults()},
		"observe": &area[observe.Config]{host.Defaults(), observe.Defaults()},
	}
}

func TestEachServiceTakesItsConfiguration(t *testing.T) {
	texts := configurations(t)
	if len(texts) < 7 {
		t.Fatalf("only %d configurations were found", len(texts))
	}
	known := settings()
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			cfg, ok := known[name]
			if !ok {
				t.Fatal("no service is known for it")
			}
			folder := t.TempDir()
			key := filepath.Join(folder, "master-key")
			write(t, key, base64.StdEncoding.EncodeToString(make([]byte, 32)))
			file := filepath.Join(folder, "comporta.yaml")
			write(t, file, strings.ReplaceAll(text, "/etc/comporta/keys/master-key", key))
			if err := config.Load(cfg, config.Options{Name: name, Args: []string{"--config=" + file}, Env: []string{}}); err != nil {
				t.Error(err)
			}
		})
	}
}

// configurations gives the files of deploy/k8s by service.
func configurations(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../../deploy/k8s/base/configmaps.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for documents := yaml.NewDecoder(strings.NewReader(string(text))); ; {
		var object struct {
			Metadata struct{ Labels map[string]string }
			Data     map[string]string
		}
		err := documents.Decode(&object)
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		if file, ok := object.Data["comporta.yaml"]; ok {
			found[object.Metadata.Labels["app.kubernetes.io/component"]] = file
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
