package child

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
)

// inherited are the variables that a child gets from its parent (contract §12):
// what finds programs, the person's folders and language. Credentials in the
// parent's environment stay there unless the configuration names them.
var inherited = []string{"PATH", "HOME", "USER", "SHELL", "TERM", "TMPDIR", "LANG"}

// inheritedPrefixes are families of such variables.
var inheritedPrefixes = []string{"LC_", "XDG_"}

// inheritedOnWindows is what no Windows program starts without.
var inheritedOnWindows = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP",
	"USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
}

// Environment is what a child sees: the inherited part of parent ("KEY=value"
// entries, as os.Environ gives them), then every entry of own.
func Environment(parent []string, own map[string]string) []string {
	names := inherited
	if runtime.GOOS == "windows" {
		names = slices.Concat(names, inheritedOnWindows)
	}
	var env []string
	for _, entry := range parent {
		name, _, _ := strings.Cut(entry, "=")
		if slices.ContainsFunc(names, func(n string) bool { return sameVariable(n, name) }) || hasPrefix(name) {
			env = append(env, entry)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		env = append(env, name+"="+own[name])
	}
	return env
}

// sameVariable compares names as the system does.
func sameVariable(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

func hasPrefix(name string) bool {
	return slices.ContainsFunc(inheritedPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// searchPath is the PATH that the child will have.
func searchPath(env []string) string {
	for _, entry := range slices.Backward(env) {
		if name, value, _ := strings.Cut(entry, "="); sameVariable("PATH", name) {
			return value
		}
	}
	return os.Getenv("PATH")
}
