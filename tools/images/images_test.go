package main

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// given is a folder with one binary for each platform: this test's own, which tells
// what it is built of as every Go program does.
func given(t *testing.T, platforms ...string) (folder string) {
	t.Helper()
	itself, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	for _, platform := range platforms {
		into := filepath.Join(folder, strings.ReplaceAll(platform, "/", "-"))
		if err := errors.Join(os.MkdirAll(into, 0o755), os.Link(itself, filepath.Join(into, "build-mcp"))); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// ran makes images as the command line asks, and gives the folder of what it wrote.
func ran(t *testing.T, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	o, err := read(append(append([]string{"-out", out, "-epoch", "1700000000", "-tag", "1.2.3", "-revision", "abc"}, args...), "build-mcp"))
	if err == nil {
		err = run(o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func loaded(t *testing.T, tarred string) v1.Image {
	t.Helper()
	image, err := tarball.ImageFromPath(tarred, nil)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// files are those of an image's only layer.
func files(t *testing.T, image v1.Image) map[string]*tar.Header {
	t.Helper()
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v; want one", len(layers), err)
	}
	packed, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	found := map[string]*tar.Header{}
	for archive := tar.NewReader(packed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		found[header.Name] = header
	}
}

func TestAnImageHoldsOneProgramAndItsPartsAndRunsAsNobody(t *testing.T) {
	image := loaded(t, filepath.Join(ran(t, "-bin", given(t, "linux/amd64")), "build-mcp.tar"))
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if c := config.Config; c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/build-mcp"}) || len(c.Env) != 0 {
		t.Errorf("it runs %v as %q with %v", c.Entrypoint, c.User, c.Env)
	}
	labels := config.Config.Labels
	if labels["org.opencontainers.image.version"] != "1.2.3" || labels["org.opencontainers.image.revision"] != "abc" {
		t.Errorf("its labels are %v", labels)
	}
	if config.OS != "linux" || config.Architecture != "amd64" || config.Created.Unix() != 1700000000 {
		t.Errorf("it is for %s/%s, made at %v", config.OS, config.Architecture, config.Created)
	}
	found := files(t, image)
	if names := slices.Sorted(maps.Keys(found)); !slices.Equal(names, []string{"build-mcp", "sbom.spdx.json"}) {
		t.Fatalf("it holds %v", names)
	}
	for name, mode := range map[string]int64{"build-mcp": 0o755, "sbom.spdx.json": 0o644} {
		if h := found[name]; h.Mode != mode || h.Uid != 0 || h.Gid != 0 {
			t.Errorf("%s has mode %o and belongs to %d:%d; want %o and root", name, h.Mode, h.Uid, h.Gid, mode)
		}
	}
}

func TestTheSameBinaryGivesTheSameImage(t *testing.T) {
	binaries := given(t, "linux/amd64")
	var digests [2]v1.Hash
	for i := range digests {
		var err error
		if digests[i], err = loaded(t, filepath.Join(ran(t, "-bin", binaries), "build-mcp.tar")).Digest(); err != nil {
			t.Fatal(err)
		}
	}
	if digests[0] != digests[1] {
		t.Errorf("first %s, then %s", digests[0], digests[1])
	}
}

func TestThePartsNameEveryModuleThatIsLinked(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(ran(t, "-bin", given(t, "linux/amd64")), "build-mcp.spdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		SPDXVersion, Name string
		Packages          []struct {
			Name         string
			SPDXID       string
			Version      string `json:"versionInfo"`
			ExternalRefs []struct{ ReferenceLocator string }
		}
		Relationships []struct{ RelationshipType string }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	if document.SPDXVersion != "SPDX-2.3" || document.Name != "build-mcp-1.2.3" {
		t.Errorf("it is %s, %s", document.SPDXVersion, document.Name)
	}
	versions, identifiers := map[string]string{}, map[string]bool{}
	for _, p := range document.Packages {
		versions[p.Name] = p.Version
		if identifiers[p.SPDXID] {
			t.Errorf("%s stands there twice", p.SPDXID)
		}
		identifiers[p.SPDXID] = true
		if want := "pkg:golang/" + p.Name + "@" + p.Version; len(p.ExternalRefs) != 1 || p.ExternalRefs[0].ReferenceLocator != want {
			t.Errorf("%s refers to %v; want %s", p.Name, p.ExternalRefs, want)
		}
	}
	for _, module := range []string{"std", "github.com/google/go-containerregistry", "github.com/spdx/tools-golang"} {
		if versions[module] == "" {
			t.Errorf("%s is linked and not named", module)
		}
	}
	if len(document.Relationships) != len(document.Packages) {
		t.Errorf("%d packages have %d relationships", len(document.Packages), len(document.Relationships))
	}
}

func TestSeveralPlatformsArePushedUnderOneName(t *testing.T) {
	server := httptest.NewServer(registry.New())
	defer server.Close()
	at := strings.TrimPrefix(server.URL, "http://") + "/comporta"
	ran(t, "-bin", given(t, "linux/amd64", "linux/arm64"), "-platforms", "linux/amd64,linux/arm64", "-registry", at, "-push")
	reference, err := name.NewTag(at + "/build-mcp:1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	for _, architecture := range []string{"amd64", "arm64"} {
		image, err := remote.Image(reference, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: architecture}))
		if err != nil {
			t.Fatal(err)
		}
		if config, err := image.ConfigFile(); err != nil || config.Architecture != architecture {
			t.Errorf("%s gets an image for %s, %v", architecture, config.Architecture, err)
		}
	}
}

func TestWhatCannotBeMadeIsTold(t *testing.T) {
	folder := given(t, "linux/amd64")
	text := filepath.Join(folder, "linux-amd64", "script")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		told string
	}{
		{"no binary is named", nil, "name the binaries"},
		{"a binary that is not there", []string{"storage-mcp"}, "storage-mcp for linux/amd64"},
		{"a binary that Go did not make", []string{"script"}, "script for linux/amd64"},
		{"a platform that was not built", []string{"-platforms", "linux/arm64", "build-mcp"}, "build-mcp for linux/arm64"},
		{"a tag that no registry takes", []string{"-tag", "1.0 beta", "build-mcp"}, "tag"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o, err := read(append([]string{"-bin", folder, "-out", t.TempDir()}, test.args...))
			if err == nil {
				err = run(o)
			}
			if err == nil || !strings.Contains(err.Error(), test.told) {
				t.Errorf("it is answered with %v; want a fault that tells %q", err, test.told)
			}
		})
	}
}
