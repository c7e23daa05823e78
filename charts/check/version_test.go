package check

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
)

// TestEveryVersionIsTheOneInTheFileVersion holds together what cannot read that file:
// the chart, the example overlay, and the areas, which are a Go module below it.
func TestEveryVersionIsTheOneInTheFileVersion(t *testing.T) {
	want := strings.TrimSpace(readText(t, "../../VERSION"))
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(want) {
		t.Fatalf("VERSION holds %q", want)
	}
	chart, err := loader.Load(chartFolder)
	if err != nil {
		t.Fatal(err)
	}
	if chart.Metadata.Version != want || chart.Metadata.AppVersion != want {
		t.Errorf("the chart is %s, of %s; want %s", chart.Metadata.Version, chart.Metadata.AppVersion, want)
	}
	overlay := filepath.Join(deployFolder, "overlays/example/kustomization.yaml")
	areas, err := filepath.Glob("../../services/*/area.go")
	if err != nil || len(areas) < 5 {
		t.Fatalf("%d areas, %v", len(areas), err)
	}
	said := regexp.MustCompile(`(?m)(?:newTag: |^\s*Version:\s*")([^"}\s]+)`)
	for _, file := range append(areas, overlay) {
		found := said.FindAllStringSubmatch(readText(t, file), -1)
		if len(found) == 0 {
			t.Errorf("%s says no version", file)
		}
		for _, match := range found {
			if match[1] != want {
				t.Errorf("%s says %s; want %s", file, match[1], want)
			}
		}
	}
}
