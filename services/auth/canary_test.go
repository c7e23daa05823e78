package auth

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// TestNoTokenIsLeftAnywhere is the bug bank's B79. The tokens have a shape that
// no masker of logs knows, so that only not writing them helps.
func TestNoTokenIsLeftAnywhere(t *testing.T) {
	log := captureStderr(t)
	w := newWorld(t)
	good, bad := identity.Secret("CANARY1234567890good"), identity.Secret("CANARY1234567890gone")
	w.platform.people[good] = owner{id: 9, email: "eva@example.com", company: 1003}
	r := w.start(func(c *Config) {
		c.Tokens.Pattern = `^CANARY[0-9]{10}[a-z]{4}$`
		c.Tokens.PositiveLife, c.Tokens.NegativeLife = 0, 0
		c.Telemetry.LogLevel = "debug"
		c.Identity.Timeout = 200 * time.Millisecond
	})
	client := w.client(r)
	who, err := ask(t, client, good)
	if err != nil {
		t.Fatal(err)
	}
	op := submitted(t, client, who, "CANARY-payload")
	if _, _, err := client.Release(t.Context(), op); err != nil {
		t.Fatal(err)
	}

	told := []string{who.Link.ID}
	echo := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "you sent "+r.Header.Get("Authorization"))
		}
	}
	modes := []http.HandlerFunc{nil, echo(200), echo(401), echo(429), echo(500), htmlPage(502),
		func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/?"+r.Header.Get("Authorization"), http.StatusFound)
		},
	}
	for _, mode := range modes {
		w.platform.set(mode)
		for _, token := range []identity.Secret{good, bad, good + "CANARYtail"} {
			if _, err := ask(t, client, token); err != nil {
				told = append(told, err.Error())
			}
			_, err := client.Authenticate(t.Context(), identity.Credential{Scheme: identity.Bearer, Value: token}, "build", "")
			told = append(told, err.Error())
		}
		if _, _, err := client.Release(t.Context(), op); err != nil {
			told = append(told, err.Error())
		}
	}
	op.Sealed = []byte("CANARY")
	_, _, err = client.Release(t.Context(), op)
	told = append(told, err.Error(), metrics(t, r))
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	w.stopNATS()
	told = append(told, log(), files(t, w.natsDir))
	if all := strings.Join(told, "\n"); strings.Contains(all, "CANARY") {
		t.Errorf("a token or payload is left:\n%s", around(all, "CANARY"))
	}
	if !strings.Contains(told[len(told)-2], "DEBUG") && !strings.Contains(told[len(told)-2], "no answer") {
		t.Error("the log was not captured, so that this test shows nothing")
	}
	if !strings.Contains(told[len(told)-1], "eva@example.com") {
		t.Error("NATS' files were not read, so that this test shows nothing")
	}
}

// captureStderr takes what the log writes until the result is called.
func captureStderr(t *testing.T) func() string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stderr
	os.Stderr = f
	t.Cleanup(func() { os.Stderr = before; _ = f.Close() })
	return func() string {
		data, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
}

func metrics(t *testing.T, r *replica) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(r.Admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		`comporta_auth_checks_total{outcome="accepted",question="authenticate",scheme="token"}`,
		`comporta_auth_checks_total{outcome="refused_bearer",question="authenticate",scheme="bearer"}`,
		"comporta_auth_platform_check_seconds_count", "comporta_auth_token_cache_total", "comporta_auth_watch_late_seconds",
	} {
		if !strings.Contains(string(body), name) {
			t.Errorf("the metrics do not hold %s", name)
		}
	}
	return string(body)
}

func files(t *testing.T, dir string) string {
	t.Helper()
	var all bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func around(text, word string) string {
	at := strings.Index(text, word)
	return text[max(at-200, 0):min(at+200, len(text))]
}
