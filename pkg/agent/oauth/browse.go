package oauth

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// Browse opens a page in the person's browser: the program that BROWSER names,
// else the system's own.
func Browse(_ context.Context, url string) error {
	for _, command := range browsers() {
		path, err := exec.LookPath(command[0])
		if err != nil {
			continue
		}
		cmd := exec.Command(path, append(command[1:], url)...)
		cmd.Stdout = os.Stderr // a browser's chatter must not reach a protocol on stdout
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("starting %s: %w", path, err)
		}
		go func() { _ = cmd.Wait() }() // reaped whenever the person closes it
		return nil
	}
	return errors.New("no browser was found; set BROWSER to one, or open the address by hand")
}

func browsers() [][]string {
	var all [][]string
	if own := os.Getenv("BROWSER"); own != "" {
		all = append(all, []string{own})
	}
	switch runtime.GOOS {
	case "darwin":
		return append(all, []string{"open"})
	case "windows":
		return append(all, []string{"rundll32", "url.dll,FileProtocolHandler"})
	}
	return append(all, []string{"xdg-open"}, []string{"sensible-browser"})
}
