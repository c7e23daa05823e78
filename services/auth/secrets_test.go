package auth

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	upstream "github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/secret"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

const secretID = "01JDXT7M1S0000000000000000"

// kept makes a host keep a secret for Ana, and gives its address.
func kept(t *testing.T, w *world, client *identity.AuthClient) (address string, b *bus.Bus) {
	t.Helper()
	b, err := bus.Connect(bus.Config{URL: w.nats.URL()}, "host", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	stand := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		answerJSON(rw, http.StatusCreated, map[string]any{"data": map[string]any{"id": 1, "secret_key": "CANARY & <b>"}})
	}))
	t.Cleanup(stand.Close)
	keeper := &secret.Keeper{
		Client: upstream.New(upstream.Config{URL: stand.URL}, upstream.Options{HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}),
		Keys:   client, Store: secret.NewStore(b, time.Now), Log: slog.New(slog.DiscardHandler),
	}
	got, err := keeper.Do(t.Context(), upstream.Request{
		Tool: &catalog.Tool{
			Name: "create_credential", Area: "storage", Effect: catalog.Write,
			Secrets: []string{"data.secret_key"}, ShownOnce: []string{"data.secret_key"},
			Binding: &catalog.Binding{Method: "POST", Path: "/c", Accepts: "application/json", Auth: catalog.Auth{In: catalog.Header, Name: "Authorization"}},
		},
		Authorization: "Token x", CompanyID: 1001,
		Holder: upstream.Holder{PersonID: 7, LinkID: "pt_0123456789abcdef", CallID: "01JDXT7M1S0000000000000001", ID: secretID},
	})
	if err != nil {
		t.Fatal(err)
	}
	address, _ = got.Value["data"].(map[string]any)["secret_key"].(map[string]any)["ver_en"].(string)
	return address, b
}

// look goes the person's way on the page: the address, the sign-in unless token
// is "", the button. It gives the answer to the last step.
func look(t *testing.T, base, path string, token identity.Secret) (int, string) {
	t.Helper()
	b := newBrowser(t, base)
	status := b.do(http.MethodGet, path, nil).StatusCode
	if token == "" || status != http.StatusOK {
		return status, b.body
	}
	form := b.form("/sign-in")
	form.Set("token", string(token))
	answer := b.do(http.MethodPost, "/sign-in", form)
	status = b.do(http.MethodGet, answer.Header.Get("Location"), nil).StatusCode
	if strings.Contains(b.body, "CANARY") {
		t.Error("the sign-in alone shows the secret")
	}
	if !strings.Contains(b.body, `id="secret"`) {
		return status, b.body
	}
	status = b.do(http.MethodPost, path, b.form(path)).StatusCode
	if b.head.Get("Cache-Control") != "no-store" {
		t.Error("the page may be stored")
	}
	return status, b.body
}

func TestASecretIsShownToItsPersonOnce(t *testing.T) {
	w := newWorld(t)
	first := w.start(nil)
	second := w.start(nil)
	address, b := kept(t, w, w.client(first))
	if want := first.HTTP + "/secrets/" + secretID; address != want {
		t.Fatalf("the address is %q, want %q", address, want)
	}
	path := "/secrets/" + secretID
	for _, step := range []struct {
		name   string
		base   string
		path   string
		token  identity.Secret
		status int
		shown  bool
	}{
		{"opening the address alone shows nothing", first.HTTP, path, "", 200, false},
		{"an invented token is not signed in", first.HTTP, path, unknownToken, 200, false},
		{"another person finds nothing", first.HTTP, path, readerToken, 404, false},
		{"its person sees it, on any replica", second.HTTP, path, goodToken, 200, true},
		{"and not again", first.HTTP, path, goodToken, 410, false},
		{"there is none at another address", first.HTTP, path + "X", goodToken, 404, false},
	} {
		t.Run(step.name, func(t *testing.T) {
			status, body := look(t, step.base, step.path, step.token)
			if status != step.status || strings.Contains(body, "CANARY &amp; &lt;b&gt;") != step.shown {
				t.Errorf("answered %d:\n%s", status, body)
			}
			if step.token != "" && strings.Contains(body, string(step.token)) {
				t.Error("the page repeats the token")
			}
		})
	}
	eventually(t, 5*time.Second, func() string {
		var seen []string
		for r, err := range audit.Query(t.Context(), b, audit.Filter{}) {
			if err != nil {
				return err.Error()
			}
			if r.GetKind() == auditv1.Kind_KIND_PERSON {
				seen = append(seen, r.GetAction())
				if r.GetPersonId() != 7 || r.GetOperationId() != secretID || r.GetAddress() != "127.0.0.1" || r.GetTool() != "create_credential" {
					return "the record says " + r.String()
				}
			}
		}
		if len(seen) != 1 || seen[0] != "secret_taken" {
			return "the audit knows " + strings.Join(seen, ", ")
		}
		return ""
	})
}

func TestASecretStaysWhereItsTakingCannotBeRecorded(t *testing.T) {
	w := newWorld(t)
	r := w.start(nil)
	_, _ = kept(t, w, w.client(r))
	b := newBrowser(t, r.HTTP)
	path := "/secrets/" + secretID
	b.signIn(path, goodToken)
	form := b.form(path)
	w.stopNATS()
	if status := b.do(http.MethodPost, path, form).StatusCode; status != 503 || strings.Contains(b.body, "CANARY") {
		t.Fatalf("without NATS it answers %d:\n%s", status, b.body)
	}
	w.startNATS()
	eventually(t, 15*time.Second, func() string {
		if status := b.do(http.MethodPost, path, form).StatusCode; status != 200 || !strings.Contains(b.body, "CANARY") {
			return b.body
		}
		return ""
	})
}

func TestTheButtonOfASecretIsBoundToItsBrowserAndPerson(t *testing.T) {
	w := newWorld(t)
	r := w.start(nil)
	_, _ = kept(t, w, w.client(r))
	path := "/secrets/" + secretID
	mine, other := newBrowser(t, r.HTTP), newBrowser(t, r.HTTP)
	mine.signIn(path, goodToken)
	other.signIn(path, goodToken)
	form := mine.form(path)
	for name, c := range map[string]struct {
		from    *browser
		form    map[string][]string
		headers []string
	}{
		"another browser of the person": {other, form, nil},
		"without the form's token":      {mine, nil, nil},
		"from another site":             {mine, form, []string{"Origin", "https://evil.example.com"}},
		"who is not signed in":          {newBrowser(t, r.HTTP), form, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if status := c.from.do(http.MethodPost, path, c.form, c.headers...).StatusCode; status != http.StatusForbidden || strings.Contains(c.from.body, "CANARY") {
				t.Errorf("answered %d:\n%s", status, c.from.body)
			}
		})
	}
	if status := mine.do(http.MethodPost, path, form).StatusCode; status != http.StatusOK || !strings.Contains(mine.body, "CANARY") {
		t.Errorf("its own button: %d\n%s", status, mine.body)
	}
}
