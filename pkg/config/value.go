package config

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// layer is how strong a value's origin is.
type layer int

const (
	fileLayer layer = iota + 1
	environmentLayer
	flagLayer
)

// given is a value as somebody wrote it. It is opaque to viper on purpose: viper
// lowers the case of every key of a map that it can look into.
type given struct {
	text   string     // from the environment or a flag
	node   *yaml.Node // from a file
	origin string
	layer  layer
}

func fromText(text, origin string, l layer) given {
	return given{text: text, origin: origin, layer: l}
}

// value finds the strongest value of key.
func (l *loader) value(key string) (given, bool) {
	switch v := l.values.Get(key).(type) {
	case given:
		return v, true
	case string: // viper hands a flag over as its text
		return fromText(v, "--"+key, flagLayer), true
	default:
		return given{}, false
	}
}

// fill sets one setting's field from the strongest value, if any.
func (l *loader) fill(s *setting) {
	value, isGiven := l.value(s.key)
	if s.secret {
		l.fillSecret(s, value, isGiven)
		return
	}
	if !isGiven {
		return
	}
	node := value.node
	if node == nil {
		var err error
		if node, err = nodeOf(value.text, s.value.Type()); err != nil {
			l.fault(s.key, value.origin, "%v", err)
			return
		}
	}
	for _, problem := range decode(node, s.value, "") {
		origin := value.origin
		if problem.path != "" {
			origin = strings.TrimPrefix(problem.path, ".") + " in " + origin
		}
		l.fault(s.key, origin, "%s", problem.what)
	}
}
