package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

func TestAPersonalTokenIsItsOwnerInItsCompany(t *testing.T) {
	w := newWorld(t)
	client := w.client(w.start(nil))
	sum := sha256.Sum256([]byte(goodToken))
	want := &identity.Principal{
		Link:      identity.Link{ID: "pt_" + hex.EncodeToString(sum[:])[:16], Scheme: identity.Token, Version: 1},
		Client:    identity.Client{Name: "personal token"},
		Person:    identity.Person{ID: 7, Name: "Ana Sá", Email: "ana@example.com", SystemAdmin: true},
		Companies: []identity.Company{{ID: 1001, Name: "Acme", Authorization: "Token " + goodToken}},
		Scope: identity.Scope{
			Areas:     []string{"docs", "build", "secure", "observe", "storage"},
			Ask:       identity.AskNever,
			Resources: map[string]identity.Resources{},
		},
	}
	got, err := ask(t, client, goodToken)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b identity.Secret) bool { return a == b })); diff != "" {
		t.Errorf("principal (-want +got):\n%s", diff)
	}
	reader, err := ask(t, client, readerToken)
	if err != nil {
		t.Fatal(err)
	}
	if !reader.ReadOnly() || !reader.Scope.ReadOnly || reader.Person.SystemAdmin {
		t.Errorf("the reader is %+v with the scope %+v, want read-only and no admin", reader.Person, reader.Scope)
	}
}

func TestWhatIsNotAcceptedIsRefusedForItsReason(t *testing.T) {
	w := newWorld(t)
	client := w.client(w.start(nil))
	without := w.client(w.start(func(c *Config) { c.Tokens.Accept = false }))
	tests := []struct {
		name  string
		ask   *identity.AuthClient
		cred  identity.Credential
		area  string
		want  identity.RefusalKind
		areas []string
	}{
		{"a token that the platform does not know", client, identity.Credential{Scheme: identity.Token, Value: unknownToken}, "build", identity.RefusedToken, nil},
		{"a token of another shape", client, identity.Credential{Scheme: identity.Token, Value: "azion123"}, "build", identity.RefusedToken, nil},
		{"a token with something after it", client, identity.Credential{Scheme: identity.Token, Value: goodToken + "\n"}, "build", identity.RefusedToken, nil},
		{"a personal token as Bearer", client, identity.Credential{Scheme: identity.Bearer, Value: goodToken}, "build", identity.RefusedBearer, nil},
		{"an unknown access token", client, identity.Credential{Scheme: identity.Bearer, Value: "at_1.2.3"}, "build", identity.RefusedBearer, nil},
		{"a good token for an area that there is not", client, identity.Credential{Scheme: identity.Token, Value: goodToken}, "billing", identity.RefusedArea, Defaults().Areas},
		{"a bad token for an area that there is not", client, identity.Credential{Scheme: identity.Token, Value: unknownToken}, "billing", identity.RefusedToken, nil},
		{"a good token where personal tokens are switched off", without, identity.Credential{Scheme: identity.Token, Value: goodToken}, "build", identity.RefusedToken, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.ask.Authenticate(t.Context(), test.cred, test.area, "")
			refused, ok := errors.AsType[*identity.Refused](err)
			if !ok {
				t.Fatalf("the error is %v, want a refusal", err)
			}
			if refused.Kind != test.want {
				t.Errorf("refused as %q, want %q", refused.Kind, test.want)
			}
			if diff := cmp.Diff(test.areas, refused.Areas); diff != "" {
				t.Errorf("areas (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPlatformThatCannotBeAskedIsNoRefusal(t *testing.T) {
	w := newWorld(t)
	client := w.client(w.start(func(c *Config) { c.Identity.Timeout = 300 * time.Millisecond }))
	modes := map[string]http.HandlerFunc{
		"it answers 500":            func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"it answers 502 with HTML":  htmlPage(502),
		"it answers 403 with HTML":  htmlPage(403),
		"it answers 200 with HTML":  htmlPage(200),
		"it answers 429":            func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) },
		"it answers truncated JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"data":{"id":7`)) },
		"it answers without an id": func(w http.ResponseWriter, _ *http.Request) {
			answerJSON(w, 200, map[string]any{"data": map[string]any{}})
		},
		"it answers slowly":        func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"it closes the connection": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"it redirects elsewhere":   func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/v4/elsewhere", http.StatusFound) },
	}
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			token := identity.Secret(string(goodToken[:5]) + hex.EncodeToString([]byte(name + "................."))[:35])
			w.platform.set(mode)
			_, err := ask(t, client, token)
			if _, refused := errors.AsType[*identity.Refused](err); err == nil || refused {
				t.Fatalf("the answer is %v, want that nobody could be asked", err)
			}
			w.platform.set(nil)
			if _, err := ask(t, client, token); !isRefused(err, identity.RefusedToken) {
				t.Errorf("once the platform is back: %v, want its own answer", err)
			}
		})
	}
}

func htmlPage(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte("<html><body>Bad gateway</body></html>"))
	}
}

func isRefused(err error, kind identity.RefusalKind) bool {
	refused, ok := errors.AsType[*identity.Refused](err)
	return ok && refused.Kind == kind
}

func TestSystemAdminsMayBeListed(t *testing.T) {
	w := newWorld(t)
	client := w.client(w.start(func(c *Config) { c.Identity.Admins = []int64{8} }))
	reader, err := ask(t, client, readerToken)
	if err != nil {
		t.Fatal(err)
	}
	if !reader.Person.SystemAdmin {
		t.Error("the listed person is no system admin")
	}
}
