package child

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// lookup finds a command: on the PATH that the child will have, else as a file.
func lookup(command, dir string, env []string) (string, error) {
	if command == "" {
		return "", fmt.Errorf("no command is configured")
	}
	if !strings.ContainsRune(command, filepath.Separator) {
		for _, folder := range filepath.SplitList(searchPath(env)) {
			if folder == "" {
				continue // an empty entry means the working folder: too easily somebody else's file
			}
			if found, err := exec.LookPath(filepath.Join(folder, command)); err == nil {
				return found, nil
			}
		}
	}
	file := command
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if found, err := exec.LookPath(file); err == nil {
		return found, nil
	}
	return "", fmt.Errorf("command %q is neither on PATH nor an executable file: %w", command, exec.ErrNotFound)
}
