package check

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write deploy/k8s/base anew")

const deployFolder = "../../deploy/k8s"

// byHand are the files of the base that are not rendered.
var byHand = []string{"kustomization.yaml", "namespace.yaml"}

// TestTheDeploymentIsWhatTheChartRenders keeps deploy/k8s/base from drifting away.
func TestTheDeploymentIsWhatTheChartRenders(t *testing.T) {
	values, err := readValues(filepath.Join(deployFolder, "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := render(values)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for source, document := range rendered.all {
		if strings.Contains(source, "/tests/") {
			continue // helm test is Helm's own
		}
		name := file(source)
		if want[name] == "" {
			want[name] = "# Rendered from charts/comporta with deploy/k8s/values.yaml: make deploy.\n"
		}
		want[name] += "---\n" + document
	}
	base := filepath.Join(deployFolder, "base")
	if *update {
		write(t, base, want)
	}
	listed := resources(t, filepath.Join(base, "kustomization.yaml"))
	for name, text := range want {
		have, err := os.ReadFile(filepath.Join(base, name))
		if err != nil || string(have) != text {
			t.Errorf("deploy/k8s/base/%s is not what the chart renders; run make deploy and commit", name)
		}
		if !slices.Contains(listed, name) {
			t.Errorf("deploy/k8s/base/kustomization.yaml does not list %s", name)
		}
	}
	entries, err := os.ReadDir(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if _, rendered := want[entry.Name()]; !rendered && !slices.Contains(byHand, entry.Name()) {
			t.Errorf("deploy/k8s/base/%s comes from nowhere; delete it", entry.Name())
		}
	}
}

func write(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func resources(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var kustomization struct{ Resources []string }
	if err := yaml.UnmarshalStrict(text, &struct {
		APIVersion string    `json:"apiVersion"`
		Kind       string    `json:"kind"`
		Namespace  string    `json:"namespace"`
		Resources  *[]string `json:"resources"`
	}{Resources: &kustomization.Resources}); err != nil {
		t.Fatal(err)
	}
	return kustomization.Resources
}
