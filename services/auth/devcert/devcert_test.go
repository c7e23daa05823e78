package devcert

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func ensured(t *testing.T, dir string, now time.Time) map[string]string {
	t.Helper()
	if _, err := Ensure(dir, now); err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for _, name := range []string{"ca.pem", "ca-key.pem", "auth.pem", "auth-key.pem", "caller.pem", "caller-key.pem"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		content[name] = string(data)
	}
	return content
}

func TestCertificatesAreMadeAnewOnlyWhenTheyMust(t *testing.T) {
	tests := []struct {
		name    string
		harm    func(t *testing.T, dir string)
		later   time.Duration
		changed []string
	}{
		{name: "a second start finds them good", later: time.Hour},
		{name: "a month and a half before the end they are still good", later: life - margin - time.Hour},
		{
			name:    "near the end of their life all are made anew",
			later:   life - margin + time.Hour,
			changed: []string{"ca.pem", "ca-key.pem", "auth.pem", "auth-key.pem", "caller.pem", "caller-key.pem"},
		},
		{
			name:    "a lost key costs that certificate only",
			harm:    func(t *testing.T, dir string) { remove(t, dir, "auth-key.pem") },
			changed: []string{"auth.pem", "auth-key.pem"},
		},
		{
			name:    "a lost authority costs all",
			harm:    func(t *testing.T, dir string) { remove(t, dir, "ca-key.pem") },
			changed: []string{"ca.pem", "ca-key.pem", "auth.pem", "auth-key.pem", "caller.pem", "caller-key.pem"},
		},
		{
			name: "a key of another certificate is not used",
			harm: func(t *testing.T, dir string) {
				if err := os.Rename(filepath.Join(dir, "auth-key.pem"), filepath.Join(dir, "caller-key.pem")); err != nil {
					t.Fatal(err)
				}
			},
			changed: []string{"auth.pem", "auth-key.pem", "caller.pem", "caller-key.pem"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "tls")
			before := ensured(t, dir, start)
			if test.harm != nil {
				test.harm(t, dir)
			}
			after := ensured(t, dir, start.Add(test.later))
			want := map[string]bool{}
			for _, name := range test.changed {
				want[name] = true
			}
			for name := range before {
				if changed := before[name] != after[name]; changed != want[name] {
					t.Errorf("%s made anew: %v, want %v", name, changed, want[name])
				}
			}
		})
	}
}

func TestKeysAreReadableByTheirOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tls")
	ensured(t, dir, start)
	if err := os.Chmod(filepath.Join(dir, "auth-key.pem"), 0o644); err != nil {
		t.Fatal(err)
	}
	ensured(t, dir, start)
	for _, name := range []string{"ca-key.pem", "auth-key.pem", "caller-key.pem"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %o, want 600", name, info.Mode().Perm())
		}
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has the mode %o, want 700", info.Mode().Perm())
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}
