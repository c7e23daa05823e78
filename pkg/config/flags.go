package config

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// raw is a flag's value as text. Given again, a list grows and anything else is replaced.
type raw struct {
	text string
	list bool
	set  bool
}

func (r *raw) String() string { return r.text }
func (r *raw) Type() string   { return "text" }

func (r *raw) Set(text string) error {
	if r.list && r.set {
		text = r.text + "," + text
	}
	r.text, r.set = text, true
	return nil
}

// flags makes one flag for each known key.
func (l *loader) flags() *pflag.FlagSet {
	set := pflag.NewFlagSet(l.options.Name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.SortFlags = false
	set.String("config", "", "YAML file to read")
	set.BoolP("help", "h", false, "show this help")
	set.Bool("version", false, "show the version")
	for _, key := range l.known.keys() {
		s := l.known.byKey[key]
		flag := set.VarPF(&raw{list: s.value.Kind() == reflect.Slice}, key, "", s.help)
		if s.value.Kind() == reflect.Bool {
			flag.NoOptDefVal = "true"
		}
	}
	return set
}

// parse reads the command line; its result is set when it asks for help or the version.
func (l *loader) parse(flags *pflag.FlagSet) *Asked {
	err := flags.Parse(l.options.Args)
	if help, _ := flags.GetBool("help"); help || slices.Contains(l.options.Args, "--help") {
		return &Asked{Text: l.help()}
	}
	if version, _ := flags.GetBool("version"); version {
		return &Asked{Text: strings.TrimSpace(l.options.Name+" "+l.options.Version) + "\n"}
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := unknown.GetSpecifiedName()
		l.fault("--"+name, "", "no such flag%s", hint(name, l.known.keys()))
	} else if err != nil {
		l.fault("", "", "%v", err)
	}
	flags.Visit(func(flag *pflag.Flag) { // only what was given: viper would take a flag's default for a value
		if l.known.byKey[flag.Name] == nil {
			return
		}
		if err := l.values.BindPFlag(flag.Name, flag); err != nil {
			l.fault(flag.Name, "", "%v", err)
		}
	})
	if rest := flags.Args(); len(rest) > 0 {
		l.fault("", "", "the command line has %d arguments that belong to no flag", len(rest))
	}
	return nil
}

// help tells every setting: key, type, default, variable, and what it means.
func (l *loader) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", l.options.Name, l.options.Version)
	if l.options.About != "" {
		fmt.Fprintf(&b, "%s\n", l.options.About)
	}
	fmt.Fprintf(&b, "\nEach setting is a flag, a variable, and a key of the YAML file that --config or %s_CONFIG names.\n"+
		"Flags win over variables, variables over the file.\n\n", l.options.EnvPrefix)
	fmt.Fprintf(&b, "  --config FILE\n        read settings from this YAML file\n")
	fmt.Fprintf(&b, "  --help, --version\n        show this text, or the version, and exit\n")
	for _, s := range l.known.list {
		fmt.Fprintf(&b, "  --%s %s\n        ", s.key, typeName(s.value.Type()))
		if s.help != "" {
			fmt.Fprintf(&b, "%s\n        ", s.help)
		}
		fmt.Fprintf(&b, "%s%s", s.env, defaultOf(s))
		if s.secret {
			fmt.Fprintf(&b, "; a secret: also file:PATH as its value, or --%s PATH", s.key+fileSuffix)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func defaultOf(s *setting) string {
	switch {
	case s.value.IsZero() || s.secret:
		return ""
	case s.value.Kind() == reflect.String:
		return fmt.Sprintf("; default %q", s.value.String())
	default:
		return fmt.Sprintf("; default %v", s.value.Interface())
	}
}
