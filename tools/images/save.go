package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// save writes a tarball for each platform, for docker load, podman load or ctr import.
func save(o options, reference name.Tag, binary string, made map[string]v1.Image) error {
	for _, platform := range slices.Sorted(maps.Keys(made)) {
		path := filepath.Join(o.out, stem(o, binary, platform)+".tar")
		if err := tarball.WriteToFile(path, reference, made[platform]); err != nil {
			return err
		}
		digest, err := made[platform].Digest()
		if err != nil {
			return err
		}
		fmt.Println(reference.String(), digest, path)
	}
	return nil
}

// push sends every platform under one name, with the credentials of docker login.
func push(reference name.Tag, made map[string]v1.Image) error {
	var index v1.ImageIndex = empty.Index
	for _, platform := range slices.Sorted(maps.Keys(made)) {
		system, architecture, _ := strings.Cut(platform, "/")
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        made[platform],
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: system, Architecture: architecture}},
		})
	}
	if err := remote.WriteIndex(reference, index, remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	fmt.Println(reference.String(), digest)
	return nil
}
