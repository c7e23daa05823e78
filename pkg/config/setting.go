package config

import (
	"encoding"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
)

// setting is one leaf of the struct.
type setting struct {
	key    string
	env    string
	help   string
	secret bool
	value  reflect.Value
}

// settings are all leaves, by key, in the struct's order.
type settings struct {
	list   []*setting
	byKey  map[string]*setting // with the *_file keys of secrets
	byEnv  map[string]string   // variable -> key
	groups map[string]bool     // keys that others stand below
}

// fileSuffix ends the key that names a file with a secret's value.
const fileSuffix = "_file"

// keys are all known keys, sorted.
func (s *settings) keys() []string {
	keys := make([]string, 0, len(s.byKey))
	for key := range s.byKey {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func settingsOf(target reflect.Value, prefix string) (*settings, error) {
	s := &settings{byKey: map[string]*setting{}, byEnv: map[string]string{}, groups: map[string]bool{}}
	if err := s.walk(target, "", prefix); err != nil {
		return nil, err
	}
	for key := range s.byKey {
		if s.groups[key] {
			return nil, fmt.Errorf("setting %s is a value and a group at once", key)
		}
	}
	return s, nil
}

func (s *settings) walk(target reflect.Value, above, prefix string) error {
	for i := range target.NumField() {
		key, ok := keyOf(target.Type().Field(i), above)
		if !ok {
			continue
		}
		field := target.Field(i)
		if isGroup(field.Type()) {
			if err := s.walk(field, key, prefix); err != nil {
				return err
			}
			continue
		}
		tag := target.Type().Field(i).Tag
		one := &setting{
			key: key, env: envName(prefix, key), help: tag.Get("help"), value: field,
			secret: tag.Get("secret") == "true" || hidesItself(field.Type()),
		}
		if err := s.add(one); err != nil {
			return err
		}
	}
	return nil
}

func (s *settings) add(one *setting) error {
	keys := []string{one.key}
	if one.secret {
		if one.value.Kind() != reflect.String {
			return fmt.Errorf("setting %s: only a string can be a secret", one.key)
		}
		keys = append(keys, one.key+fileSuffix)
	}
	for _, key := range keys {
		env := strings.TrimSuffix(one.env, envSuffix(one.key)) + envSuffix(key)
		if other, taken := s.byEnv[env]; taken {
			return fmt.Errorf("settings %s and %s would share the variable %s", other, key, env)
		}
		s.byKey[key], s.byEnv[env] = one, key
	}
	for parent := one.key; strings.Contains(parent, "."); {
		parent = parent[:strings.LastIndexByte(parent, '.')]
		s.groups[parent] = true
	}
	s.list = append(s.list, one)
	return nil
}

// besideOthers is the tag of a struct whose settings stand beside its neighbours'.
const besideOthers = ",inline"

// keyOf gives a field's full key; false for fields that are no settings. An
// embedded struct without a tag, and one that is inline, adds no level.
func keyOf(field reflect.StructField, above string) (string, bool) {
	tag := field.Tag.Get("key")
	if !field.IsExported() || tag == "-" || (tag == "" && !settable(field.Type)) {
		return "", false
	}
	if isGroup(field.Type) && (tag == besideOthers || tag == "" && field.Anonymous) {
		return above, true
	}
	name := tag
	if name == "" {
		name = kebab(field.Name)
	}
	if above == "" {
		return name, true
	}
	return above + "." + name, true
}

// settable reports whether a value of this type can be written down in a file.
func settable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.Interface, reflect.Pointer, reflect.UnsafePointer:
		return isText(t)
	case reflect.Slice:
		return settable(t.Elem())
	case reflect.Map:
		return t.Key().Kind() == reflect.String && settable(t.Elem())
	default:
		return true
	}
}

type group struct {
	key   string
	value reflect.Value
}

// groupsOf lists the nested structs of target.
func groupsOf(target reflect.Value, above string) []group {
	var groups []group
	for i := range target.NumField() {
		key, ok := keyOf(target.Type().Field(i), above)
		if ok && isGroup(target.Field(i).Type()) {
			groups = append(groups, group{key, target.Field(i)})
		}
	}
	return groups
}

func isGroup(t reflect.Type) bool { return t.Kind() == reflect.Struct && !isText(t) }

func isText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// hidesItself: a string type that does not show itself in logs is a secret.
func hidesItself(t reflect.Type) bool {
	return t.Kind() == reflect.String && t.Implements(reflect.TypeFor[slog.LogValuer]())
}

// kebab turns a field's name into a key: OTLPEndpoint -> otlp-endpoint.
func kebab(name string) string {
	runes := []rune(name)
	var b strings.Builder
	for i, r := range runes {
		startsWord := i > 0 && unicode.IsUpper(r) &&
			(!unicode.IsUpper(runes[i-1]) || (i+1 < len(runes) && unicode.IsLower(runes[i+1])))
		if startsWord {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// typeName is how --help calls the type of a value.
func typeName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "duration"
	case isText(t):
		return "text"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true|false"
	case reflect.String:
		return "text"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice, reflect.Array:
		return "list of " + typeName(t.Elem())
	case reflect.Map:
		return "map of " + typeName(t.Elem())
	case reflect.Struct:
		return "object"
	default:
		return "integer"
	}
}
