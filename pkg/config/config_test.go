package config_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/config"
)

type hidden string

func (hidden) LogValue() slog.Value { return slog.StringValue("hidden") }

type corpus struct {
	Name  string
	Globs []string
}

type nats struct {
	URL      string `help:"NATS servers"`
	Replicas int
	Wait     time.Duration
}

type service struct {
	Listen   string `key:"listen" help:"where to listen"`
	NATS     nats
	Verbose  bool
	Ratio    float64
	Origins  []string
	Headers  map[string]string
	Limits   map[string]int
	Corpora  []corpus
	Password hidden
	APIToken string `key:"platform.token" secret:"true"`
	Ignored  func() `key:"-"`
	Deps     *int
}

func (s *service) Validate() error {
	var faults []error
	if s.Listen == "forbidden" {
		faults = append(faults, errors.New("listen must not be forbidden"))
	}
	if s.NATS.Replicas == 2 {
		faults = append(faults, errors.New("nats.replicas must be odd"))
	}
	return errors.Join(faults...)
}

func defaults() service {
	return service{Listen: ":8080", NATS: nats{URL: "nats://a", Replicas: 1, Wait: time.Second}, Origins: []string{"x"}}
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "comporta.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, yaml string, env, args []string) (service, error) {
	t.Helper()
	cfg := defaults()
	o := config.Options{Name: "test-mcp", Version: "1.2.3", Args: args, Env: append([]string{}, env...)}
	if yaml != "" {
		o.Files = []string{file(t, yaml)}
	}
	err := config.Load(&cfg, o)
	cfg.Ignored = nil
	return cfg, err
}

func TestLoad(t *testing.T) {
	tests := []struct {
		name string
		yaml string
		env  []string
		args []string
		want func(*service)
	}{
		{name: "nothing given keeps what the struct holds", want: func(*service) {}},
		{
			name: "the file is stronger than the struct",
			yaml: "listen: ':1'\nnats:\n  replicas: 3\n  wait: 90d\n",
			want: func(s *service) { s.Listen, s.NATS.Replicas, s.NATS.Wait = ":1", 3, 90*24*time.Hour },
		},
		{
			name: "the environment is stronger than the file",
			yaml: "nats: {url: 'nats://file', wait: 2s}",
			env:  []string{"COMPORTA_NATS_URL=nats://env", "PATH=/bin"},
			want: func(s *service) { s.NATS.URL, s.NATS.Wait = "nats://env", 2*time.Second },
		},
		{
			name: "a flag is stronger than the environment",
			yaml: "verbose: false",
			env:  []string{"COMPORTA_VERBOSE=false", "COMPORTA_NATS_REPLICAS=3"},
			args: []string{"--verbose", "--nats.replicas=5"},
			want: func(s *service) { s.Verbose, s.NATS.Replicas = true, 5 },
		},
		{
			name: "the environment sets what has no default",
			env:  []string{"COMPORTA_RATIO=0.25", "COMPORTA_HEADERS=X-Foo=1, y=a=b", "COMPORTA_PLATFORM_TOKEN= t \n"},
			want: func(s *service) {
				s.Ratio, s.Headers, s.APIToken = 0.25, map[string]string{"X-Foo": "1", "y": "a=b"}, "t"
			},
		},
		{
			name: "keys inside a map keep their case",
			yaml: "headers: {X-Request-ID: Abc}\nlimits: {DNS: 3}",
			want: func(s *service) {
				s.Headers, s.Limits = map[string]string{"X-Request-ID": "Abc"}, map[string]int{"DNS": 3}
			},
		},
		{
			name: "text that looks like a number stays as it was written",
			yaml: "listen: 1.10\nheaders: {version: 007}",
			want: func(s *service) { s.Listen, s.Headers = "1.10", map[string]string{"version": "007"} },
		},
		{
			name: "a list from the environment replaces the default, and an empty one empties it",
			env:  []string{"COMPORTA_ORIGINS="},
			want: func(s *service) { s.Origins = []string{} },
		},
		{
			name: "a repeated flag makes a list longer",
			args: []string{"--origins", "a,b", "--origins", "c"},
			want: func(s *service) { s.Origins = []string{"a", "b", "c"} },
		},
		{
			name: "objects in a list, from the file",
			yaml: "corpora:\n- {name: guides, globs: ['*.md']}\n- name: site\n",
			want: func(s *service) { s.Corpora = []corpus{{"guides", []string{"*.md"}}, {Name: "site"}} },
		},
		{
			name: "objects in a list, from the environment",
			env:  []string{"COMPORTA_CORPORA=[{name: guides}]"},
			want: func(s *service) { s.Corpora = []corpus{{Name: "guides"}} },
		},
		{
			name: "a key without a value says nothing",
			yaml: "listen:\nnats:\n",
			want: func(*service) {},
		},
		{
			name: "variables of the programs themselves are no settings",
			env:  []string{"COMPORTA_HOME=/h", "COMPORTA_PORT_BASE=8200", "COMPORTA_FAULTS=x", "COMPORTA_READY=y", "COMPORTA_TOKEN=z"},
			want: func(*service) {},
		},
		{
			name: "variables that Kubernetes makes for services are no settings",
			env: []string{
				"COMPORTA_AUTH_SERVICE_HOST=10.0.0.1", "COMPORTA_AUTH_SERVICE_PORT=8100", "COMPORTA_AUTH_SERVICE_PORT_HTTP=8100",
				"COMPORTA_AUTH_PORT=tcp://10.0.0.1:8100", "COMPORTA_AUTH_PORT_8100_TCP=tcp://10.0.0.1:8100",
				"COMPORTA_AUTH_PORT_8100_TCP_PROTO=tcp", "COMPORTA_AUTH_PORT_8100_TCP_PORT=8100", "COMPORTA_AUTH_PORT_8100_TCP_ADDR=10.0.0.1",
			},
			want: func(*service) {},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := load(t, tt.yaml, tt.env, tt.args)
			if err != nil {
				t.Fatal(err)
			}
			want := defaults()
			tt.want(&want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		name string
		yaml string
		env  []string
		args []string
		want []string // each stands in the error
	}{
		{
			name: "every fault is told at once, with its place",
			yaml: "listne: ':1'\nnats:\n  replicas: many\n  wait: 5\n",
			env:  []string{"COMPORTA_NATS_RUL=x", "COMPORTA_VERBOSE=yes"},
			args: []string{"--nats.urll=x"},
			want: []string{
				"listne", "comporta.yaml:1", "did you mean listen?", "nats.replicas", "comporta.yaml:3", `"many"`, "nats.wait",
				"COMPORTA_NATS_RUL: no such setting; did you mean COMPORTA_NATS_URL?",
				"verbose (COMPORTA_VERBOSE): ", "--nats.urll: no such flag; did you mean nats.url?",
			},
		},
		{name: "a setting given twice", yaml: "listen: a\nlisten: b\n", want: []string{"is given twice"}},
		{name: "a list where a map belongs", yaml: "nats: [a]", want: []string{"nats (", "must be a map of settings"}},
		{name: "a map where text belongs", yaml: "listen: {a: b}", want: []string{"must be a single value"}},
		{name: "two documents", yaml: "listen: a\n---\nlisten: b\n", want: []string{"more than one YAML document"}},
		{name: "no YAML", yaml: "listen: [", want: []string{"is no YAML"}},
		{name: "no map", yaml: "- listen", want: []string{"must be a map of settings"}},
		{name: "an unknown key inside a list", yaml: "corpora: [{nmae: x}]", want: []string{"[0].nmae", "did you mean name?"}},
		{name: "an empty number", env: []string{"COMPORTA_NATS_REPLICAS="}, want: []string{"nats.replicas", "whole number"}},
		{name: "a number too large", env: []string{"COMPORTA_NATS_REPLICAS=99999999999999999999"}, want: []string{"whole number"}},
		{name: "arguments without a flag", args: []string{"serve"}, want: []string{"belong to no flag"}},
		{name: "a named file that is not there", args: []string{"--config", "/nowhere/c.yaml"}, want: []string{"/nowhere/c.yaml"}},
		{
			name: "what the struct's own Validate finds, one by one",
			yaml: "listen: forbidden\nnats: {replicas: 2}",
			want: []string{"\n  listen must not be forbidden\n", "\n  nats.replicas must be odd"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.yaml, tt.env, tt.args)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q:\n%v", want, err)
				}
			}
		})
	}
}

func TestSecrets(t *testing.T) {
	const canary = "CANARY123"
	write := func(text string) string { return file(t, text) }
	tests := []struct {
		name  string
		yaml  string
		env   []string
		want  string
		fault string
	}{
		{name: "white space around it is trimmed", env: []string{"COMPORTA_PLATFORM_TOKEN=  " + canary + "\r\n"}, want: canary},
		{name: "a file by the value's prefix", env: []string{"COMPORTA_PLATFORM_TOKEN=file:" + write(canary+"\n")}, want: canary},
		{name: "a file by the key's suffix", env: []string{"COMPORTA_PLATFORM_TOKEN_FILE=" + write("\t"+canary+"\r\n")}, want: canary},
		{name: "a file named in the file", yaml: "platform: {token_file: " + write(canary) + "}", want: canary},
		{
			name: "the environment's file wins over the file's value", want: canary,
			yaml: "platform: {token: weaker}", env: []string{"COMPORTA_PLATFORM_TOKEN_FILE=" + write(canary)},
		},
		{
			name: "the environment's value wins over the file's file", want: canary,
			yaml: "platform: {token_file: /nowhere}", env: []string{"COMPORTA_PLATFORM_TOKEN=" + canary},
		},
		{
			name:  "a control character inside is refused by the setting's name",
			env:   []string{"COMPORTA_PLATFORM_TOKEN_FILE=" + write(canary+"\n"+canary)},
			fault: "platform.token (COMPORTA_PLATFORM_TOKEN_FILE): holds a control character",
		},
		{
			name:  "both forms in one place are refused",
			env:   []string{"COMPORTA_PLATFORM_TOKEN=" + canary, "COMPORTA_PLATFORM_TOKEN_FILE=" + write(canary)},
			fault: "give one of them",
		},
		{name: "an empty file is refused", env: []string{"COMPORTA_PLATFORM_TOKEN_FILE=" + write(" \n")}, fault: "is empty"},
		{name: "a missing file is refused", env: []string{"COMPORTA_PLATFORM_TOKEN_FILE=/nowhere"}, fault: "cannot read"},
		{name: "a map is refused without its content", yaml: "platform: {token: {a: " + canary + "}}", fault: "must be a single value"},
		{name: "a file too large is refused", env: []string{"COMPORTA_PLATFORM_TOKEN_FILE=" + write(strings.Repeat("x", 70000))}, fault: "larger than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := load(t, tt.yaml, tt.env, nil)
			if tt.fault == "" {
				if err != nil || got.APIToken != tt.want {
					t.Errorf("got %q, %v", got.APIToken, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("got %v, want %q in it", err, tt.fault)
			}
			if strings.Contains(fmt.Sprint(err), canary) {
				t.Errorf("the error tells the secret: %v", err)
			}
		})
	}
	t.Run("a type that hides itself is a secret without a tag", func(t *testing.T) {
		got, err := load(t, "", []string{"COMPORTA_PASSWORD_FILE=" + write(canary+"\n")}, nil)
		if err != nil || got.Password != canary {
			t.Errorf("got %q, %v", string(got.Password), err)
		}
	})
}

func TestHelpAndVersion(t *testing.T) {
	cfg := defaults()
	cfg.Password = "CANARY123"
	ask := func(args ...string) string {
		t.Helper()
		err := config.Load(&cfg, config.Options{Name: "test-mcp", Version: "1.2.3", About: "It tests.", Args: args, Env: []string{}})
		asked, ok := errors.AsType[*config.Asked](err)
		if !ok {
			t.Fatalf("%v: got %v", args, err)
		}
		return asked.Text
	}
	if got := ask("--version"); got != "test-mcp 1.2.3\n" {
		t.Errorf("version: %q", got)
	}
	help := ask("--nonsense=1", "--help")
	for _, want := range []string{
		"test-mcp 1.2.3", "It tests.", "--listen text", "where to listen", `COMPORTA_LISTEN; default ":8080"`,
		"--nats.wait duration", "default 1s", "--origins list of text", "--headers map of text", "--platform.token_file",
		"COMPORTA_PLATFORM_TOKEN", "--verbose true|false", "--corpora list of object",
	} {
		if !strings.Contains(help, want) {
			t.Errorf("the help lacks %q:\n%s", want, help)
		}
	}
	if strings.Contains(help, "CANARY123") {
		t.Error("the help tells a secret's default")
	}
}

func TestConfigFileFromFlagOrVariable(t *testing.T) {
	weak, strong := file(t, "listen: weak\nverbose: true"), file(t, "listen: strong")
	for _, o := range []config.Options{
		{Args: []string{"--config", strong}, Env: []string{}},
		{Env: []string{"COMPORTA_CONFIG=" + strong}},
		{Args: []string{"--config", strong}, Env: []string{"COMPORTA_CONFIG=/nowhere"}},
	} {
		o.Files = []string{"/nowhere/default.yaml", weak}
		cfg := defaults()
		if err := config.Load(&cfg, o); err != nil {
			t.Fatal(err)
		}
		if cfg.Listen != "strong" || !cfg.Verbose {
			t.Errorf("got %+v", cfg)
		}
	}
}

func TestStructsThatCannotBeConfigured(t *testing.T) {
	for name, cfg := range map[string]any{
		"no pointer": service{},
		"two keys with one variable": &struct {
			A int `key:"a.b"`
			B int `key:"a-b"`
		}{},
		"a value and a group": &struct {
			A int `key:"a"`
			B int `key:"a.b"`
		}{},
		"a secret that is no string": &struct {
			A int `secret:"true"`
		}{},
	} {
		if err := config.Load(cfg, config.Options{Env: []string{}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzFile(f *testing.F) {
	f.Add("listen: a\nnats: {wait: 5s}\ncorpora: [{name: x}]\nheaders: {A: b}")
	f.Add("a: &x [*x]")
	f.Add("platform: {token: [1]}\n<<: {listen: x}")
	f.Fuzz(func(t *testing.T, text string) {
		cfg := defaults()
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Skip()
		}
		// Whatever stands in the file: an answer, never a panic.
		_ = config.Load(&cfg, config.Options{Files: []string{path}, Env: []string{}})
	})
}
