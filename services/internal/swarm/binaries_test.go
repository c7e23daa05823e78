package swarm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binaries is the folder with what TestMain built.
var binaries string

const module = "github.com/comporta-mcp/comporta/services/"

// built are the binaries of the swarm. The tag puts the named fault points in.
var built = []string{
	"docs/docs-mcp", "build/build-mcp", "secure/secure-mcp", "observe/observe-mcp", "storage/storage-mcp",
	"auth/comporta-auth", "worker/comporta-worker", "sandbox/comporta-sandbox",
}

func TestMain(m *testing.M) {
	os.Exit(withBinaries(m))
}

func withBinaries(m *testing.M) int {
	folder, err := os.MkdirTemp("", "comporta-swarm-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	binaries = folder
	if err := buildAll(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func buildAll(folder string) error {
	packages := []string{"github.com/nats-io/nats-server/v2"}
	for _, b := range built {
		packages = append(packages, module+b)
	}
	args := append([]string{"build", "-tags", "faults", "-o", folder + string(filepath.Separator)}, packages...)
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the binaries: %w\n%s", err, out)
	}
	// The module path ends in /v2, the binary's name does not.
	if _, err := os.Stat(filepath.Join(folder, "nats-server")); err != nil {
		return fmt.Errorf("build the NATS server: %w", err)
	}
	return nil
}

func binary(name string) string { return filepath.Join(binaries, name) }
