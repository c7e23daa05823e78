package call

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

const (
	challenge = `Bearer resource_metadata="https://build-mcp.example.com/.well-known/oauth-protected-resource/mcp"`
	metadata  = `{"resource": "https://build-mcp.example.com/mcp", "authorization_servers": ["https://auth.example.com"]}`
	facts     = `{"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"cuenta":{"id":1},"usuario":"ana"}}}`
)

// area answers as one does, with what a case says in place of an answer of its own.
type area struct {
	unasked   int    // status for who brings no token
	challenge string // of that answer
	metadata  string
	status    int // of the call
	answer    string
}

func healthy() area {
	return area{unasked: http.StatusUnauthorized, challenge: challenge, metadata: metadata, status: http.StatusOK, answer: facts}
}

func (a area) serve(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, a.metadata)
	})
	mux.HandleFunc("POST /mcp", func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Method string
			Params struct{ Name string }
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.Host != "build-mcp.example.com" {
			t.Errorf("%s is asked, with %v", r.Host, err)
		}
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", a.challenge)
			w.WriteHeader(a.unasked)
			return
		}
		if r.Header.Get("Authorization") != "Token t0ken" || asked.Params.Name != "ver_contexto_inicial" {
			t.Errorf("%q calls %q", r.Header.Get("Authorization"), asked.Params.Name)
		}
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.answer)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestAnAreaIsTriedAsAClientWould(t *testing.T) {
	tests := []struct {
		name   string
		change func(*area)
		token  identity.Secret
		told   string // of what was seen
		fault  string
	}{
		{"all is well", func(*area) {}, "t0ken", "answered with 2 facts", ""},
		{"nobody brings a token: the way to sign in is looked at", func(a *area) { a.status = http.StatusTeapot }, "", "asks to sign in", ""},
		{"the area lets everybody in", func(a *area) { a.unasked = http.StatusOK }, "t0ken", "", "answers 200 OK, not 401"},
		{"the challenge points nowhere", func(a *area) { a.challenge = "Bearer" }, "t0ken", "", "not 401 with a challenge"},
		{"the metadata names nobody to sign in with", func(a *area) { a.metadata = `{"resource": "x"}` }, "t0ken", "", "without resource or authorization_servers"},
		{"the metadata is a page", func(a *area) { a.metadata = "<html>" }, "t0ken", "", "without resource or authorization_servers"},
		{"the call is refused", func(a *area) { a.status = http.StatusServiceUnavailable }, "t0ken", "", "503"},
		{"the answer is a page", func(a *area) { a.answer = "<html>" }, "t0ken", "", "is no JSON"},
		{"the answer is an error of the protocol", func(a *area) { a.answer = `{"error": {"code": -32602, "message": "unknown tool"}}` }, "t0ken", "", "unknown tool"},
		{"the tool answers a problem", func(a *area) {
			a.answer = `{"result": {"isError": true, "structuredContent": {"code": "limite_excedido", "que_paso": "Too many calls."}}}`
		}, "t0ken", "", "answers limite_excedido: Too many calls."},
		{"the tool answers nothing", func(a *area) { a.answer = `{"result": {}}` }, "t0ken", "", "answers no context"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := healthy()
			test.change(&a)
			through := strings.TrimPrefix(a.serve(t).URL, "http://")
			told, err := Area(t.Context(), Target{URL: "https://build-mcp.example.com", Through: through, Plain: true}, test.token)
			if test.fault == "" {
				if err != nil || !strings.Contains(told, test.told) {
					t.Errorf("it tells %q, %v; want %q", told, err, test.told)
				}
			} else if err == nil || !strings.Contains(err.Error(), test.fault) {
				t.Errorf("it tells %q, %v; want a fault with %q", told, err, test.fault)
			}
			if err != nil && strings.Contains(err.Error(), "t0ken") {
				t.Errorf("the token stands in the fault: %v", err)
			}
		})
	}
}

func TestAnAddressThatIsNoURLIsRefused(t *testing.T) {
	for _, bad := range []string{"", "build-mcp", "https://", "https://%zz"} {
		if _, err := Area(t.Context(), Target{URL: bad}, ""); err == nil || !strings.Contains(err.Error(), "is no URL") {
			t.Errorf("%q is answered with %v", bad, err)
		}
	}
}

func TestTheCertificateMustBeThePublicNames(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	target := Target{URL: "https://build-mcp.example.com", Through: server.Listener.Addr().String()}
	if _, err := Area(t.Context(), target, "t0ken"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("it is answered with %v; want a fault of the certificate", err)
	}
}

func TestASandboxLendsAPersonsToken(t *testing.T) {
	people := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/_sandbox/people" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, `{"people": [{"name": "owner", "token": "one"}, {"name": "member", "token": "two"}]}`)
	}))
	defer people.Close()
	token, err := Borrow(t.Context(), people.URL+"/v4", "member")
	if err != nil || string(token) != "two" {
		t.Errorf("it lends %q, %v", string(token), err)
	}
	if _, err := Borrow(t.Context(), people.URL+"/v4", "stranger"); err == nil || !strings.Contains(err.Error(), "knows no stranger") {
		t.Errorf("a stranger is answered with %v", err)
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	if _, err := Borrow(t.Context(), other.URL, "member"); err == nil {
		t.Error("what is no sandbox lends a token")
	}
}
