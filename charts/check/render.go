// Package check holds the chart, and what is rendered from it, against what Helm,
// Kubernetes and this repository demand of them. It has tests, and what they share.
// It is a module of its own, outside the workspace, so that Helm's and Kubernetes'
// dependencies stay out of the programs.
package check

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"os"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	kubefake "helm.sh/helm/v3/pkg/kube/fake"
	"helm.sh/helm/v3/pkg/storage"
	"helm.sh/helm/v3/pkg/storage/driver"
	"sigs.k8s.io/yaml"
)

const (
	chartFolder = "../comporta"
	kubeVersion = "v1.37.2"
)

// monitoringAPI and certificatesAPI are present where a test says so.
const (
	monitoringAPI   = "monitoring.coreos.com/v1"
	certificatesAPI = "cert-manager.io/v1"
)

// rendering is what the chart makes of values.
type rendering struct {
	// documents by template file, such as comporta/templates/services.yaml.
	documents map[string][]string
	notes     string
}

// render is helm template: nothing is looked up in any cluster.
func render(values map[string]any, apis ...string) (*rendering, error) {
	return renderFor(kubeVersion, values, apis...)
}

// renderFor is helm template --kube-version.
func renderFor(kubernetes string, values map[string]any, apis ...string) (*rendering, error) {
	loaded, err := loader.Load(chartFolder)
	if err != nil {
		return nil, err
	}
	version, err := chartutil.ParseKubeVersion(kubernetes)
	if err != nil {
		return nil, err
	}
	install := action.NewInstall(&action.Configuration{
		Releases:     storage.Init(driver.NewMemory()),
		KubeClient:   &kubefake.PrintingKubeClient{Out: io.Discard},
		Capabilities: chartutil.DefaultCapabilities.Copy(),
		Log:          func(string, ...any) {},
	})
	install.ReleaseName, install.Namespace = "comporta", "comporta"
	install.ClientOnly, install.DryRun, install.Replace = true, true, true
	install.KubeVersion, install.APIVersions = version, apis
	log.SetOutput(io.Discard) // Helm tells merging of values there
	release, err := install.Run(loaded, values)
	if err != nil {
		return nil, err
	}
	r := &rendering{documents: map[string][]string{}, notes: release.Info.Notes}
	r.add(release.Manifest)
	for _, hook := range release.Hooks {
		r.documents[hook.Path] = append(r.documents[hook.Path], hook.Manifest)
	}
	return r, nil
}

// add takes Helm's one text apart again.
func (r *rendering) add(manifest string) {
	for document := range strings.SplitSeq(manifest, "\n---\n") {
		document = strings.TrimPrefix(document, "---\n")
		source, body, ok := strings.Cut(strings.TrimPrefix(document, "# Source: "), "\n")
		if ok && strings.TrimSpace(body) != "" {
			r.documents[source] = append(r.documents[source], strings.TrimSpace(body)+"\n")
		}
	}
}

// all gives every document with where it comes from, in the order of their files.
func (r *rendering) all(yield func(source, document string) bool) {
	sources := make([]string, 0, len(r.documents))
	for source := range r.documents {
		sources = append(sources, source)
	}
	slices.SortFunc(sources, cmp.Compare)
	for _, source := range sources {
		for _, document := range r.documents[source] {
			if !yield(source, document) {
				return
			}
		}
	}
}

// file is the name under which a template's documents are kept in deploy/k8s.
func file(source string) string {
	name := path.Base(source)
	if strings.Contains(source, "/charts/nats/") && name != "nats.yaml" {
		name = "nats-" + name
	}
	return name
}

func readValues(name string) (map[string]any, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return values, nil
}
