package auth

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
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

// visit opens the page; a token posts the form.
func visit(t *testing.T, address string, token identity.Secret) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var response *http.Response
	var err error
	if token == "" {
		response, err = client.Get(address)
	} else {
		response, err = client.PostForm(address, url.Values{"token": {string(token)}})
	}
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.Header.Get("Cache-Control") != "no-store" {
		t.Error("the page may be stored")
	}
	return response.StatusCode, string(body)
}

func TestASecretIsShownToItsPersonOnce(t *testing.T) {
	w := newWorld(t)
	first := w.start(nil)
	second := w.start(nil)
	address, b := kept(t, w, w.client(first))
	if want := first.HTTP + "/secrets/" + secretID; address != want {
		t.Fatalf("the address is %q, want %q", address, want)
	}
	elsewhere := second.HTTP + "/secrets/" + secretID
	for _, step := range []struct {
		name   string
		at     string
		token  identity.Secret
		status int
		shown  bool
	}{
		{"opening the address alone shows nothing", address, "", 200, false},
		{"an invented token gets nothing", address, unknownToken, 403, false},
		{"another person finds nothing", address, readerToken, 404, false},
		{"its person sees it, on any replica", elsewhere, goodToken, 200, true},
		{"and not again", address, goodToken, 410, false},
		{"there is none at another address", address + "X", goodToken, 404, false},
	} {
		t.Run(step.name, func(t *testing.T) {
			status, body := visit(t, step.at, step.token)
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
	address, _ := kept(t, w, w.client(r))
	w.stopNATS()
	if status, body := visit(t, address, goodToken); status != 503 || strings.Contains(body, "CANARY") {
		t.Fatalf("without NATS it answers %d:\n%s", status, body)
	}
	w.startNATS()
	eventually(t, 15*time.Second, func() string {
		if status, body := visit(t, address, goodToken); status != 200 || !strings.Contains(body, "CANARY") {
			return body
		}
		return ""
	})
}
