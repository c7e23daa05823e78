// Package config fills a service's configuration struct from a YAML file, the
// environment and flags, in this order of strength: what the struct holds
// already < file < environment < flags. It owns the names of settings, the
// refusal of unknown ones, and how secrets are read. What the settings mean,
// and whether they fit together, is the struct's own business (Validate).
//
// A setting's key is its field's tag `key:"..."`, or else the field's name in
// kebab-case; fields of a nested struct stand below its key:
//
//	type Config struct {
//		Listen string `help:"where to listen"`             // listen
//		NATS   bus.Config                                   // nats.url, nats.replicas, ...
//		Token  string `key:"platform.token" secret:"true"` // platform.token, platform.token_file
//	}
//
// The flag of nats.url is --nats.url and its variable COMPORTA_NATS_URL: dots
// and dashes become underscores. `key:"-"` leaves a field alone, and
// `key:",inline"` on a struct lets its fields stand beside that struct's
// neighbours; unlike an embedded one it lends nobody its Validate.
package config

import (
	"errors"
	"os"
	"reflect"
	"strings"

	"github.com/spf13/viper"
)

// Options says where values come from, and what the program is called.
type Options struct {
	// Name, Version and About head --help; Name and Version are what --version prints.
	Name, Version, About string
	// Args are the command line's arguments without the program's name.
	Args []string
	// Env are the variables as "NAME=value"; nil means the process's own.
	Env []string
	// EnvPrefix starts every variable of ours; "" means "COMPORTA".
	EnvPrefix string
	// AllowEnv names further variables with that prefix that are no settings.
	AllowEnv []string
	// Files are YAML files to read when they exist, weakest first. The file that
	// --config (or <prefix>_CONFIG) names is read after them and must exist.
	Files []string
}

// Asked is the "error" of a command line that asks for --help or --version:
// main prints it to the standard output and exits with 0.
type Asked struct{ Text string }

// Error is the text to print.
func (a *Asked) Error() string { return a.Text }

// Load fills cfg, a pointer to a struct. The error is *Asked, or *Error with
// every fault of the configuration at once. On an error cfg is half filled.
//
// After filling, Validate() error is called on cfg and on every nested struct
// that has it, so a struct's Validate must not call those of its fields.
func Load(cfg any, o Options) error {
	target := reflect.ValueOf(cfg)
	if target.Kind() != reflect.Pointer || target.Elem().Kind() != reflect.Struct {
		return errors.New("config.Load needs a pointer to a struct")
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.EnvPrefix == "" {
		o.EnvPrefix = "COMPORTA"
	}
	known, err := settingsOf(target.Elem(), o.EnvPrefix)
	if err != nil {
		return err
	}
	l := &loader{options: o, known: known, values: viper.New()}
	if asked := l.layers(); asked != nil {
		return asked
	}
	for _, s := range known.list {
		l.fill(s)
	}
	if len(l.faults) == 0 {
		l.validate(target, "")
	}
	if len(l.faults) > 0 {
		return &Error{Faults: l.faults}
	}
	return nil
}

// loader is one Load under way.
type loader struct {
	options Options
	known   *settings
	values  *viper.Viper
	faults  []Fault
}

// layers reads flags, files and environment into l.values. Its result is set
// when help or the version was asked for.
func (l *loader) layers() *Asked {
	flags := l.flags()
	if asked := l.parse(flags); asked != nil {
		return asked
	}
	env := l.environment()
	for _, path := range l.options.Files {
		if _, err := os.Stat(path); err == nil {
			l.readFile(path)
		}
	}
	if path := l.namedFile(flags, env); path != "" {
		l.readFile(path)
	}
	l.merge(env)
	return nil
}

// merge lays values by key over what is there. viper wants nested maps.
func (l *loader) merge(values map[string]given) {
	nested := map[string]any{}
	for key, value := range values {
		level := nested
		path := strings.Split(key, ".")
		for _, name := range path[:len(path)-1] {
			below, ok := level[name].(map[string]any)
			if !ok {
				below = map[string]any{}
				level[name] = below
			}
			level = below
		}
		level[path[len(path)-1]] = value
	}
	if err := l.values.MergeConfigMap(nested); err != nil {
		l.fault("", "", "cannot be merged: %v", err)
	}
}

func (l *loader) validate(target reflect.Value, key string) {
	if v, ok := target.Interface().(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			for _, one := range split(err) {
				l.fault(key, "", "%v", one)
			}
		}
	}
	for _, group := range groupsOf(target.Elem(), key) {
		l.validate(group.value.Addr(), group.key)
	}
}

// split takes errors.Join apart, so that each fault gets its line.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
