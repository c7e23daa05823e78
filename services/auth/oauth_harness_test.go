package auth

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/catalogs"
)

const (
	buildMCP = "https://build-mcp.example.com/mcp"
	docsMCP  = "https://docs-mcp.example.com/mcp"
	callback = "http://127.0.0.1:33418/callback"
)

var (
	verifier  = strings.Repeat("v", 50)
	challenge = func() string {
		sum := sha256.Sum256([]byte(verifier))
		return base64.RawURLEncoding.EncodeToString(sum[:])
	}()
)

// withOAuth is an auth with an issuer at the address it listens on.
func (w *world) withOAuth(change func(*Config)) *replica {
	w.t.Helper()
	port := freePort(w.t)
	return w.start(func(c *Config) {
		c.HTTPListen = address(port)
		c.PublicURL = "http://" + address(port)
		c.OAuth.Resources = map[string]string{}
		for _, area := range c.Areas {
			c.OAuth.Resources[area] = "https://" + area + "-mcp.example.com"
		}
		if change != nil {
			change(c)
		}
	})
}

// browser is a person's browser that follows no redirect by itself.
type browser struct {
	t    *testing.T
	base string
	http *http.Client
	body string // of the last answer
	head http.Header
}

func newBrowser(t *testing.T, base string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	return &browser{t: t, base: base, http: &http.Client{
		Jar: jar, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (b *browser) do(method, target string, form url.Values, headers ...string) *http.Response {
	b.t.Helper()
	if strings.HasPrefix(target, "/") {
		target = b.base + target
	}
	request, err := http.NewRequestWithContext(b.t.Context(), method, target, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", b.base)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := b.http.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	b.body, b.head = string(body), response.Header
	return response
}

// json posts JSON or a form and reads the JSON answer.
func (b *browser) post(path string, form url.Values) (status int, answer map[string]any) {
	b.t.Helper()
	response := b.do(http.MethodPost, path, form)
	if err := json.Unmarshal([]byte(b.body), &answer); err != nil && b.body != "" {
		b.t.Fatalf("%s answered no JSON: %s", path, b.body)
	}
	return response.StatusCode, answer
}

func (b *browser) register(metadata string) (status int, answer map[string]any) {
	b.t.Helper()
	response, err := http.Post(b.base+"/register", "application/json", strings.NewReader(metadata))
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		b.t.Fatal(err)
	}
	return response.StatusCode, answer
}

// client registers an ordinary client and gives its id.
func (b *browser) client() string {
	b.t.Helper()
	status, answer := b.register(`{"client_name":"Agent","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"none"}`)
	if status != http.StatusCreated {
		b.t.Fatalf("registering: %d %v", status, answer)
	}
	return answer["client_id"].(string)
}

// ask is an ordinary authorization request.
func request(client string) url.Values {
	return url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {callback},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"},
		"state": {"a b+c/%7e=ü"}, "resource": {buildMCP}, "scope": {"build:read build:write"},
	}
}

// authorize begins a request and gives where the browser is sent.
func (b *browser) authorize(values url.Values) string {
	b.t.Helper()
	response := b.do(http.MethodGet, "/authorize?"+values.Encode(), nil)
	if response.StatusCode != http.StatusSeeOther {
		b.t.Fatalf("authorize answered %d: %s", response.StatusCode, b.body)
	}
	return response.Header.Get("Location")
}

var (
	inputForm = regexp.MustCompile(`<input ([^>]*)>`)
	attribute = regexp.MustCompile(`([a-z_-]+)(?:="([^"]*)")?`)
	formForm  = regexp.MustCompile(`(?s)<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>`)
)

// form reads the page's form that goes to this path, as a browser would send it.
func (b *browser) form(action string) url.Values {
	b.t.Helper()
	for _, form := range formForm.FindAllStringSubmatch(b.body, -1) {
		if form[1] != action {
			continue
		}
		values := url.Values{}
		for _, input := range inputForm.FindAllStringSubmatch(form[2], -1) {
			at, checked := map[string]string{}, false
			for _, a := range attribute.FindAllStringSubmatch(input[1], -1) {
				at[a[1]] = html.UnescapeString(a[2])
				checked = checked || a[1] == "checked"
			}
			if box := at["type"] == "checkbox" || at["type"] == "radio"; !box || checked {
				value := at["value"]
				if value == "" && box {
					value = "on"
				}
				values.Add(at["name"], value)
			}
		}
		return values
	}
	b.t.Fatalf("the page has no form for %s:\n%s", action, b.body)
	return nil
}

// signIn signs in on the page at path.
func (b *browser) signIn(path string, token identity.Secret) {
	b.t.Helper()
	b.do(http.MethodGet, path, nil)
	if !strings.Contains(b.body, `action="/sign-in"`) { // who is signed in adds a company on the form itself
		b.add(path, token, nil)
		return
	}
	form := b.form("/sign-in")
	form.Set("token", string(token))
	response := b.do(http.MethodPost, "/sign-in", form)
	if response.StatusCode != http.StatusSeeOther {
		b.t.Fatalf("sign-in answered %d: %s", response.StatusCode, b.body)
	}
	b.do(http.MethodGet, response.Header.Get("Location"), nil)
}

// add adds a company on the page at path, after change has worked on the form.
func (b *browser) add(path string, token identity.Secret, change func(url.Values)) {
	b.t.Helper()
	form := b.form(path)
	if change != nil {
		change(form)
	}
	form.Set("decision", "add")
	form.Set("token", string(token))
	if response := b.do(http.MethodPost, path, form); response.StatusCode != http.StatusOK && response.StatusCode != http.StatusUnprocessableEntity {
		b.t.Fatalf("adding a company answered %d: %s", response.StatusCode, b.body)
	}
}

// approve approves the page at path, after change has worked on the form.
func (b *browser) approve(path string, change func(url.Values)) url.Values {
	b.t.Helper()
	b.do(http.MethodGet, path, nil)
	form := b.form(path)
	if change != nil {
		change(form)
	}
	form.Set("decision", "approve")
	response := b.do(http.MethodPost, path, form)
	if response.StatusCode != http.StatusSeeOther {
		b.t.Fatalf("the approval answered %d: %s", response.StatusCode, b.body)
	}
	return b.answered(response.Header.Get("Location"))
}

// answered reads what came to the client's callback.
func (b *browser) answered(location string) url.Values {
	b.t.Helper()
	rest, ok := strings.CutPrefix(location, callback+"?")
	if !ok {
		b.t.Fatalf("the browser was sent to %q", location)
	}
	values, err := url.ParseQuery(rest)
	if err != nil {
		b.t.Fatal(err)
	}
	return values
}

func exchange(client, code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code},
		"redirect_uri": {callback}, "code_verifier": {verifier}, "resource": {buildMCP},
	}
}

// connect goes the whole way of a new client and gives its tokens.
func (b *browser) connect(client string, change func(url.Values)) map[string]any {
	b.t.Helper()
	path := b.authorize(request(client))
	b.signIn(path, goodToken)
	status, tokens := b.post("/token", exchange(client, b.approve(path, change).Get("code")))
	if status != http.StatusOK {
		b.t.Fatalf("the exchange answered %d %v", status, tokens)
	}
	return tokens
}

func bearer(token any) identity.Credential {
	text, _ := token.(string)
	return identity.Credential{Scheme: identity.Bearer, Value: identity.Secret(text)}
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

var documents = sync.OnceValue(catalogs.Documents)
