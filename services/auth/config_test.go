package auth

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/config"
)

const masterKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

// complete are the settings that have no default.
func complete() []string {
	return []string{
		"COMPORTA_PLATFORM_URL=https://api.example.com/v4",
		"COMPORTA_NATS_URL=nats://nats:4222",
		"COMPORTA_TLS_CA=ca.pem", "COMPORTA_TLS_CERT=auth.pem", "COMPORTA_TLS_KEY=key.pem",
		"COMPORTA_MASTER_KEY=" + masterKey,
	}
}

func load(env ...string) (Config, error) {
	cfg := Defaults()
	err := config.Load(&cfg, config.Options{Name: "comporta-auth", Env: env})
	return cfg, err
}

func TestTheDefaultsNeedOnlyWhatHasNoDefault(t *testing.T) {
	if _, err := load(complete()...); err != nil {
		t.Fatal(err)
	}
	_, err := load()
	if err == nil {
		t.Fatal("an empty configuration was taken")
	}
	for _, setting := range []string{"platform.url", "nats", "tls", "master-key"} {
		if !strings.Contains(err.Error(), setting) {
			t.Errorf("the error does not name %s: %v", setting, err)
		}
	}
}

func TestEveryFaultIsToldAtOnce(t *testing.T) {
	env := append(complete(),
		"COMPORTA_GRPC_LISTEN=8443", "COMPORTA_PLATFORM_URL=ftp://x", "COMPORTA_AREAS=Build",
		"COMPORTA_TOKENS_PATTERN=(", "COMPORTA_TOKENS_POSITIVE_LIFE=61s", "COMPORTA_TOKENS_NEGATIVE_LIFE=11s",
		"COMPORTA_IDENTITY_USER_PATH=user", "COMPORTA_ROTATE_KEYS=1h", "COMPORTA_HTTP_TLS_CERT=x.pem")
	_, err := load(env...)
	if err == nil {
		t.Fatal("the configuration was taken")
	}
	for _, setting := range []string{
		"grpc-listen", "platform.url", "areas", "pattern", "positive-life", "negative-life", "user-path", "rotate-keys", "http-tls",
	} {
		if !strings.Contains(err.Error(), setting) {
			t.Errorf("the error does not name %s", setting)
		}
	}
}

// TestSecretsFromFilesMayEndInANewline is the bug bank's B20.
func TestSecretsFromFilesMayEndInANewline(t *testing.T) {
	tests := []struct {
		name, content string
		good          bool
	}{
		{"a newline at the end", masterKey + "\n", true},
		{"a Windows line end", masterKey + "\r\n", true},
		{"blanks before and after", "  " + masterKey + " \n", true},
		{"a newline inside", masterKey[:20] + "\n" + masterKey[20:], false},
		{"an escape character inside", masterKey[:20] + "\x1b" + masterKey[20:], false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "key")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			env := append(complete()[:5], "COMPORTA_MASTER_KEY_FILE="+path)
			_, err := load(env...)
			switch {
			case test.good && err != nil:
				t.Error(err)
			case !test.good && err == nil:
				t.Error("it was taken")
			case !test.good && (!strings.Contains(err.Error(), "master-key") || strings.Contains(err.Error(), masterKey[:10])):
				t.Errorf("the error must name the setting and not its value: %v", err)
			}
		})
	}
}

func TestRunRefusesABadConfigurationBeforeAnythingElse(t *testing.T) {
	err := Run(t.Context(), Defaults(), Deps{}, nil)
	if err == nil {
		t.Fatal("it ran")
	}
	for _, setting := range []string{"platform.url", "master-key", "tls: ", "nats: "} {
		if !strings.Contains(err.Error(), setting) {
			t.Errorf("the error does not name %s: %v", setting, err)
		}
	}
}

func TestAMasterKeyThatDoesNotFitEndsTheStartAtOnce(t *testing.T) {
	w := newWorld(t)
	if err := w.start(nil).stop(); err != nil {
		t.Fatal(err)
	}
	cfg := w.config()
	cfg.MasterKey = "//////////////////////////////////////////8="
	err := Run(t.Context(), cfg, Deps{}, nil)
	if err == nil || !strings.Contains(err.Error(), "master key") {
		t.Errorf("the error is %v, want that the master key does not fit", err)
	}
}
