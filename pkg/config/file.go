package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// namedFile is the file that a flag or the environment names.
func (l *loader) namedFile(flags *pflag.FlagSet, env map[string]given) string {
	if path := flags.Lookup("config").Value.String(); path != "" {
		return path
	}
	name := l.options.EnvPrefix + "_CONFIG="
	for _, pair := range l.options.Env {
		if path, ok := strings.CutPrefix(pair, name); ok {
			return path
		}
	}
	return ""
}

func (l *loader) readFile(path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		l.fault("", "", "cannot read the configuration file: %v", err)
		return
	}
	l.readYAML(path, data)
}

func (l *loader) readYAML(path string, data []byte) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF): // an empty file says nothing, and that is fine
		return
	case err != nil:
		l.fault("", path, "is no YAML: %v", err)
		return
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		l.fault("", path, "holds more than one YAML document")
		return
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return
	}
	if root.Kind != yaml.MappingNode {
		l.fault("", path, "must be a map of settings")
		return
	}
	values := map[string]given{}
	l.collect(root, "", path, values)
	l.merge(values)
}

// collect finds the known settings in a map of the file; the rest are faults.
func (l *loader) collect(level *yaml.Node, above, path string, values map[string]given) {
	for name, value := range pairs(level) {
		key := name.Value
		if above != "" {
			key = above + "." + key
		}
		origin := fmt.Sprintf("%s:%d", path, name.Line)
		value = resolve(value)
		_, twice := values[key]
		switch {
		case twice:
			l.fault(key, origin, "is given twice in this file")
		case l.known.byKey[key] != nil:
			if !isNull(value) {
				values[key] = given{node: value, origin: origin, layer: fileLayer}
			}
		case l.known.groups[key] && value.Kind == yaml.MappingNode:
			l.collect(value, key, path, values)
		case l.known.groups[key] && isNull(value):
		case l.known.groups[key]:
			l.fault(key, origin, "must be a map of settings")
		default:
			l.fault(key, origin, "no such setting%s", hint(key, l.known.keys()))
		}
	}
}
