package mcpconfig

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// variables expands what stands in ${…}, and gathers what it cannot.
type variables struct {
	Options
	faults []error
}

func newVariables(o Options) *variables {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	if o.Home == "" {
		o.Home, _ = os.UserHomeDir() // absent: ${userHome} is told as unknown
	}
	if o.Workspace == "" {
		o.Workspace, _ = os.Getwd()
	}
	return &variables{Options: o}
}

// reference is ${…}; the form with a colon and a dash has a default.
var reference = regexp.MustCompile(`\$\{([^{}]*)\}`)

// expand replaces ${VAR}, ${VAR:-default}, ${env:VAR}, ${userHome},
// ${workspaceFolder}, ${pathSeparator} and ${/}.
func (v *variables) expand(text string) string {
	return reference.ReplaceAllStringFunc(text, func(whole string) string {
		name, fallback, has := strings.Cut(whole[2:len(whole)-1], ":-")
		switch name {
		case "userHome":
			return v.Home
		case "workspaceFolder":
			return v.Workspace
		case "pathSeparator", "/":
			return string(filepath.Separator)
		}
		if input, ok := strings.CutPrefix(name, "input:"); ok {
			v.fail(fmt.Errorf("${input:%s} asks a person, which only VS Code can do; use ${env:…} instead", input))
			return ""
		}
		value, ok := v.Env(strings.TrimPrefix(name, "env:"))
		if has { // as in a shell: empty counts as absent
			return cmp.Or(value, fallback)
		}
		if !ok {
			v.fail(missing(strings.TrimPrefix(name, "env:")))
		}
		return value
	})
}

// lookup is a variable's value, which has to be there.
func (v *variables) lookup(name string) string {
	value, ok := v.Env(name)
	if !ok {
		v.fail(missing(name))
	}
	return value
}

func missing(name string) error {
	return fmt.Errorf("the environment variable %s is not set", name)
}

func (v *variables) expandAll(texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, v.expand(text))
	}
	return all
}

func (v *variables) expandValues(texts map[string]string) map[string]string {
	if texts == nil {
		return nil
	}
	all := map[string]string{}
	for name, text := range texts {
		all[name] = v.expand(text)
	}
	return all
}

func (v *variables) fail(err error) { v.faults = append(v.faults, err) }

// fault is what could not be expanded since the last call.
func (v *variables) fault() error {
	err := errors.Join(v.faults...)
	v.faults = nil
	return err
}
