// Package arrows checks that imports go one way: services → pkg → proto. Each
// rule says why it is there.
package arrows

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const root = "github.com/comporta-mcp/comporta/"

type pkg struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", root+"proto/...", root+"pkg/...", root+"services/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var found []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		p.ImportPath = strings.TrimPrefix(p.ImportPath, root)
		p.Imports = slices.DeleteFunc(p.Imports, func(i string) bool { return !strings.Contains(i, ".") })
		for i := range p.Imports {
			p.Imports[i] = strings.TrimPrefix(p.Imports[i], root)
		}
		found = append(found, p)
	}
}

// service is the service a package belongs to ("services/auth/x" → "auth"), or "".
func service(importPath string) string {
	rest, ok := strings.CutPrefix(importPath, "services/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// shared reports whether any service may import the package: it holds only
// OpenAPI documents, or what the binaries' main functions have in common.
func shared(importPath string) bool {
	return importPath == "services/catalogs" || service(importPath) == "internal" ||
		(service(importPath) != "" && path.Base(importPath) == "api")
}

func TestImportsGoOneWay(t *testing.T) {
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			if why := forbidden(p.ImportPath, imported); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, why)
			}
		}
	}
}

func forbidden(from, to string) string {
	layer, _, _ := strings.Cut(from, "/")
	target, _, _ := strings.Cut(to, "/")
	sdk := strings.HasPrefix(to, "github.com/modelcontextprotocol/go-sdk")
	switch {
	case layer == "proto" && (target == "pkg" || target == "services"):
		return "proto is what services say to each other; it knows nobody"
	case target == "tools":
		return "tools are the developers': what only they need stays out of the product's binaries"
	case layer == "pkg" && target == "services":
		return "pkg is what several services need; it knows no service"
	case service(to) != "" && service(to) != service(from) && !shared(to) && !meetsServices(from):
		return "services meet over gRPC and NATS; only local, swarm and everytool put several into one place"
	case strings.HasPrefix(from, "pkg/catalog") && slices.Contains([]string{"pkg/platform", "pkg/bus", "pkg/identity", "net/http"}, to):
		return "the catalogue is pure: no network, no caller"
	case sdk && !strings.HasPrefix(from, "pkg/host") && !strings.HasPrefix(from, "pkg/agent"):
		return "only host (the door) and agent (the other side) know the MCP SDK"
	case strings.HasPrefix(to, "github.com/nats-io/nats-server") && !strings.HasPrefix(from, "pkg/bus/embedded"):
		return "only bus/embedded links the NATS server, so that no production binary carries it"
	case strings.HasPrefix(to, "github.com/spf13/viper") && !strings.HasPrefix(from, "pkg/config"):
		return "config alone knows viper"
	case slices.Contains([]string{"util", "utils", "common", "misc", "helpers"}, path.Base(from)):
		return "a package is named after its idea"
	}
	return ""
}

func meetsServices(from string) bool {
	return service(from) == "local" || service(from) == "catalogs" || slices.Contains([]string{"services/internal/swarm", "services/internal/everytool"}, from)
}
