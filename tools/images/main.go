// Command images makes container images of static binaries, from nothing: no
// daemon, no base image, no registry to ask. Each image holds one program, its list
// of parts (SPDX) and nothing else, and runs as nobody. The same binaries give the
// same digests. Images go to tarballs, or to a registry with -push.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// options are the command line.
type options struct {
	binaries  string // folder with one folder for each platform: linux-amd64/build-mcp
	platforms []string
	names     []string
	registry  string
	tag       string
	out       string
	push      bool
	made      time.Time
	revision  string
}

func main() {
	o, err := read(os.Args[1:])
	if err == nil {
		err = run(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(1)
	}
}

func read(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("images", flag.ContinueOnError)
	flags.StringVar(&o.binaries, "bin", "bin/images", "folder of the binaries, by platform")
	platforms := flags.String("platforms", "linux/amd64", "platforms, separated by commas")
	flags.StringVar(&o.registry, "registry", "comporta", "what images' names begin with")
	flags.StringVar(&o.tag, "tag", "dev", "tag of the images, and their version")
	flags.StringVar(&o.out, "out", "dist/images", "folder for tarballs and SPDX documents")
	flags.StringVar(&o.revision, "revision", "", "commit that they were built from")
	flags.BoolVar(&o.push, "push", false, "push to the registry, all platforms under one name")
	epoch := flags.Int64("epoch", 0, "time that images bear, in seconds since 1970: the commit's")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.platforms, o.names, o.made = strings.Split(*platforms, ","), flags.Args(), time.Unix(*epoch, 0).UTC()
	if len(o.names) == 0 {
		return o, fmt.Errorf("name the binaries")
	}
	return o, os.MkdirAll(o.out, 0o755)
}

// run makes every image; one platform's are named without it.
func run(o options) error {
	for _, binary := range o.names {
		reference, err := name.NewTag(o.registry + "/" + binary + ":" + o.tag)
		if err != nil {
			return err
		}
		made := map[string]v1.Image{}
		for _, platform := range o.platforms {
			image, err := o.make(binary, platform)
			if err != nil {
				return fmt.Errorf("%s for %s: %w", binary, platform, err)
			}
			made[platform] = image
		}
		if o.push {
			err = push(reference, made)
		} else {
			err = save(o, reference, binary, made)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", binary, err)
		}
	}
	return nil
}

// make builds one image and writes its list of parts beside the tarballs.
func (o options) make(binary, platform string) (v1.Image, error) {
	path := filepath.Join(o.binaries, strings.ReplaceAll(platform, "/", "-"), binary)
	parts, err := describe(path, binary, o.tag, o.made)
	if err != nil {
		return nil, err
	}
	listed := filepath.Join(o.out, stem(o, binary, platform)+".spdx.json")
	if err := os.WriteFile(listed, parts, 0o644); err != nil {
		return nil, err
	}
	return assemble(path, parts, platform, o.made, map[string]string{
		"org.opencontainers.image.title":    binary,
		"org.opencontainers.image.version":  o.tag,
		"org.opencontainers.image.revision": o.revision,
		"org.opencontainers.image.source":   "https://github.com/comporta-mcp/comporta",
		"org.opencontainers.image.licenses": "Apache-2.0",
	})
}

// stem is a file's name without its end.
func stem(o options, binary, platform string) string {
	if len(o.platforms) == 1 {
		return binary
	}
	return binary + "-" + strings.ReplaceAll(platform, "/", "-")
}
