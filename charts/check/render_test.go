package check

import (
	"path/filepath"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/lint/support"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// valueFiles are all of the chart's, and none, which means its defaults.
func valueFiles(t *testing.T) map[string]map[string]any {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(chartFolder, "ci", "*.yaml"))
	if err != nil || len(found) < 6 {
		t.Fatalf("%d files of values, %v", len(found), err)
	}
	all := map[string]map[string]any{"defaults": {}}
	for _, name := range found {
		values, err := readValues(name)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(name), ".yaml")] = values
	}
	return all
}

func TestHelmLintFindsNothing(t *testing.T) {
	for name, values := range valueFiles(t) {
		t.Run(name, func(t *testing.T) {
			lint := action.NewLint()
			lint.Strict = true
			result := lint.Run([]string{chartFolder}, values)
			for _, message := range result.Messages {
				if message.Severity >= support.WarningSev {
					t.Error(message)
				}
			}
			for _, err := range result.Errors {
				t.Error(err)
			}
		})
	}
}

// strict decodes what is exactly a type of Kubernetes or of Prometheus' operator.
func strict(t *testing.T) runtime.Decoder {
	t.Helper()
	if err := monitoring.AddToScheme(scheme.Scheme); err != nil {
		t.Fatal(err)
	}
	return serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
}

func TestEveryObjectIsOneThatKubernetesKnows(t *testing.T) {
	decoder := strict(t)
	for name, values := range valueFiles(t) {
		for _, apis := range [][]string{nil, {monitoringAPI}, {monitoringAPI, certificatesAPI}} {
			t.Run(name+" with "+strings.Join(apis, " "), func(t *testing.T) {
				rendered, err := render(values, apis...)
				if err != nil {
					t.Fatal(err)
				}
				names := map[string]string{}
				for source, document := range rendered.all {
					object, kind, err := decoder.Decode([]byte(document), nil, nil)
					if err != nil && !strings.Contains(document, certificatesAPI) {
						t.Errorf("%s: %v\n%s", source, err, document)
						continue
					}
					key := identify(t, document)
					if other, twice := names[key]; twice {
						t.Errorf("%s is in %s and in %s", key, other, source)
					}
					names[key] = source
					if object != nil {
						judge(t, kind.Kind+" of "+source, object)
					}
				}
				if len(names) < 25 {
					t.Errorf("only %d objects", len(names))
				}
			})
		}
	}
}

func identify(t *testing.T, document string) string {
	t.Helper()
	var object struct {
		Kind     string
		Metadata struct{ Name string }
	}
	if err := yaml.Unmarshal([]byte(document), &object); err != nil || object.Metadata.Name == "" {
		t.Fatalf("%v: an object without a name:\n%s", err, document)
	}
	return object.Kind + "/" + object.Metadata.Name
}

func TestNotesSayWhatIsMissing(t *testing.T) {
	rendered, err := render(map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"https://build-mcp.example.com/mcp", "helm test comporta", "DOMAIN IS NOT SET", "IMAGE REGISTRY IS NOT SET", "Back up the master key"} {
		if !strings.Contains(rendered.notes, want) {
			t.Errorf("the notes lack %q:\n%s", want, rendered.notes)
		}
	}
}
