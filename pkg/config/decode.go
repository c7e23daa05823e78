package config

import (
	"encoding"
	"fmt"
	"iter"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// wrong is one fault inside a value; path leads to it (".name", "[2].url").
type wrong struct{ path, what string }

func oneWrong(path, format string, args ...any) []wrong {
	return []wrong{{path, fmt.Sprintf(format, args...)}}
}

// decode writes node into target, strictly: no value changes its kind on the way.
func decode(node *yaml.Node, target reflect.Value, path string) []wrong {
	node = resolve(node)
	if isNull(node) {
		return nil
	}
	switch {
	case isText(target.Type()):
		text, faults := scalar(node, path)
		if faults != nil {
			return faults
		}
		if err := target.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)); err != nil {
			return oneWrong(path, "%v", err)
		}
		return nil
	case target.Kind() == reflect.Struct:
		return decodeStruct(node, target, path)
	case target.Kind() == reflect.Slice:
		return decodeList(node, target, path)
	case target.Kind() == reflect.Map:
		return decodeMap(node, target, path)
	}
	text, faults := scalar(node, path)
	if faults != nil {
		return faults
	}
	if err := setScalar(target, text); err != nil {
		return oneWrong(path, "%v", err)
	}
	return nil
}

func decodeStruct(node *yaml.Node, target reflect.Value, path string) []wrong {
	if node.Kind != yaml.MappingNode {
		return oneWrong(path, "must be a map")
	}
	fields, names := map[string]reflect.Value{}, []string{}
	for i := range target.NumField() {
		if key, ok := keyOf(target.Type().Field(i), ""); ok {
			fields[key] = target.Field(i)
			names = append(names, key)
		}
	}
	var faults []wrong
	seen := map[string]bool{}
	for name, value := range pairs(node) {
		field, known := fields[name.Value]
		at := path + "." + name.Value
		switch {
		case !known:
			faults = append(faults, oneWrong(at, "no such setting%s", hint(name.Value, names))...)
		case seen[name.Value]:
			faults = append(faults, oneWrong(at, "is given twice")...)
		default:
			seen[name.Value] = true
			faults = append(faults, decode(value, field, at)...)
		}
	}
	return faults
}

func decodeList(node *yaml.Node, target reflect.Value, path string) []wrong {
	if node.Kind != yaml.SequenceNode {
		return oneWrong(path, "must be a list")
	}
	list := reflect.MakeSlice(target.Type(), len(node.Content), len(node.Content))
	var faults []wrong
	for i, element := range node.Content {
		faults = append(faults, decode(element, list.Index(i), fmt.Sprintf("%s[%d]", path, i))...)
	}
	target.Set(list)
	return faults
}

// decodeMap replaces the whole map: what the struct held before is gone.
func decodeMap(node *yaml.Node, target reflect.Value, path string) []wrong {
	if node.Kind != yaml.MappingNode {
		return oneWrong(path, "must be a map")
	}
	made := reflect.MakeMap(target.Type())
	var faults []wrong
	for name, value := range pairs(node) {
		at := path + "." + name.Value
		key := reflect.ValueOf(name.Value).Convert(target.Type().Key())
		if made.MapIndex(key).IsValid() {
			faults = append(faults, oneWrong(at, "is given twice")...)
			continue
		}
		element := reflect.New(target.Type().Elem()).Elem()
		faults = append(faults, decode(value, element, at)...)
		made.SetMapIndex(key, element)
	}
	target.Set(made)
	return faults
}

func setScalar(target reflect.Value, text string) error {
	if target.Type() == reflect.TypeFor[time.Duration]() {
		d, err := parseDuration(text)
		target.SetInt(int64(d))
		return err
	}
	switch target.Kind() {
	case reflect.String:
		target.SetString(text)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return fmt.Errorf("%q must be true or false", text)
		}
		target.SetBool(text == "true")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, target.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a whole number of the right size", text)
		}
		target.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, target.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a whole number from 0 of the right size", text)
		}
		target.SetUint(n)
	case reflect.Float32, reflect.Float64:
		n, err := strconv.ParseFloat(text, target.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		target.SetFloat(n)
	default:
		return fmt.Errorf("a %s cannot be configured", target.Type())
	}
	return nil
}

// parseDuration reads Go's durations and whole days ("90d"), which retention
// times are told in.
func parseDuration(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n <= 36500 {
			return time.Duration(n) * day, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration such as 30s, 5m, 8h or 90d", text)
	}
	return d, nil
}

func scalar(node *yaml.Node, path string) (string, []wrong) {
	if node.Kind != yaml.ScalarNode {
		return "", oneWrong(path, "must be a single value")
	}
	return node.Value, nil
}

// pairs ranges over a YAML map in the order of the file.
func pairs(node *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(*yaml.Node, *yaml.Node) bool) {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if !yield(node.Content[i], node.Content[i+1]) {
				return
			}
		}
	}
}

func resolve(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}
