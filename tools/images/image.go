package main

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// nobody is the user of distroless images, too: known to what checks images.
const nobody = "65532:65532"

// assemble makes an image of one program and its list of parts.
func assemble(binary string, parts []byte, platform string, made time.Time, labels map[string]string) (v1.Image, error) {
	program, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	entry := "/" + path.Base(binary)
	layer, err := layerOf(made, file{entry, 0o755, program}, file{"/sbom.spdx.json", 0o644, parts})
	if err != nil {
		return nil, err
	}
	image, err := mutate.Append(empty.Image, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: made}, CreatedBy: "comporta images"}})
	if err != nil {
		return nil, err
	}
	system, architecture, _ := strings.Cut(platform, "/")
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = system, architecture, v1.Time{Time: made}
	config.Config = v1.Config{User: nobody, Entrypoint: []string{entry}, WorkingDir: "/", Labels: labels}
	return mutate.ConfigFile(image, config)
}

type file struct {
	name    string
	mode    int64
	content []byte
}

// layerOf packs files that belong to root, so that the program cannot change itself.
func layerOf(made time.Time, files ...file) (v1.Layer, error) {
	var packed bytes.Buffer
	archive := tar.NewWriter(&packed)
	for _, f := range files {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: strings.TrimPrefix(f.name, "/"), Mode: f.mode, Size: int64(len(f.content)), ModTime: made,
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(packed.Bytes())), nil
	})
}
