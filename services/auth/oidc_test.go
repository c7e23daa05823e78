package auth

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
)

// issuer is a small OpenID provider with one person in front of it.
type issuer struct {
	*httptest.Server
	t    *testing.T
	key  *rsa.PrivateKey
	mu   sync.Mutex
	asks map[string]url.Values // by code
	// change, if set, spoils the claims of the next tokens; signer, the key.
	change func(claims map[string]any)
	signer *rsa.PrivateKey
	person string
	prompt string // of the last question
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{t: t, key: key, signer: key, asks: map[string]url.Values{}, person: "7"}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, 200, map[string]any{
			"issuer": i.URL, "authorization_endpoint": i.URL + "/auth", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
			"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
			"id_token_signing_alg_values_supported": []string{"RS256"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, 200, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
	})
	mux.HandleFunc("GET /auth", i.auth)
	mux.HandleFunc("POST /token", i.token)
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) auth(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != "comporta" || q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" || !strings.Contains(q.Get("scope"), "openid") {
		http.Error(w, "a question that is not right", 400)
		return
	}
	code := rand.Text()
	i.mu.Lock()
	i.asks[code], i.prompt = q, q.Get("prompt")
	i.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {i.URL}}.Encode(), http.StatusFound)
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	asked, known := i.asks[r.PostFormValue("code")]
	delete(i.asks, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	if !known || base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") || id != "comporta" || secret != "s3cret" {
		answerJSON(w, 400, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{
		"iss": i.URL, "sub": i.person, "aud": "comporta", "nonce": asked.Get("nonce"), "name": "Ana Sá", "email": "ana@example.com",
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
	}
	if i.change != nil {
		i.change(claims)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: i.signer, KeyID: "1"}}, nil)
	if err != nil {
		i.t.Error(err)
		return
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		i.t.Error(err)
		return
	}
	answerJSON(w, 200, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": text, "expires_in": 60})
}

func (w *world) withAccounts(i *issuer) *replica {
	return w.withOAuth(func(c *Config) {
		c.Tokens.PositiveLife = 0 // the platform's word counts at once
		c.OIDC.Issuer, c.OIDC.ClientID, c.OIDC.ClientSecret = i.URL, "comporta", identity.Secret("s3cret")
	})
}

// account goes from a page of ours to the issuer and back, and gives where the
// callback leads.
func (b *browser) account(next string) string {
	b.t.Helper()
	there := b.do(http.MethodGet, "/sign-in/account?"+url.Values{"next": {next}}.Encode(), nil).Header.Get("Location")
	back := b.do(http.MethodGet, there, nil).Header.Get("Location")
	return b.do(http.MethodGet, back, nil).Header.Get("Location")
}

func TestAPersonSignsInWithThePlatformsAccount(t *testing.T) {
	w, provider := newWorld(t), newIssuer(t)
	auth := w.withAccounts(provider)
	b := newBrowser(t, auth.HTTP)
	path := b.authorize(request(b.client()))
	b.do(http.MethodGet, path, nil)
	if !strings.Contains(b.body, `href="/sign-in/account?next=`) {
		t.Fatalf("the page offers no account:\n%s", b.body)
	}
	if got := b.account(path); got != path {
		t.Fatalf("the sign-in leads to %q", got)
	}
	// Of a person who never was here no credential is known: a token adds a company.
	b.do(http.MethodGet, path, nil)
	if strings.Contains(b.body, "/sign-in/account") {
		t.Error("who is signed in is asked to sign in")
	}
	if b.add(path, readerToken, nil); !strings.Contains(b.body, "belongs to another person") {
		t.Errorf("another person's token is taken:\n%s", b.body)
	}
	b.signIn(path, goodToken)
	b.approve(path, nil)

	// The next time nothing but the account is needed, in another browser too.
	again := newBrowser(t, auth.HTTP)
	client := again.client()
	path = again.authorize(request(client))
	if got := again.account(path); got != path {
		t.Fatalf("the second sign-in leads to %q", got)
	}
	status, tokens := again.post("/token", exchange(client, again.approve(path, nil).Get("code")))
	if status != http.StatusOK {
		t.Fatalf("the exchange: %d %v", status, tokens)
	}
	who, err := w.client(auth).Authenticate(t.Context(), bearer(tokens["access_token"]), "build", "192.0.2.1")
	if err != nil || who.Person.ID != 7 || len(who.Companies) != 1 || who.Companies[0].ID != 1001 {
		t.Errorf("it acts for %+v, %v", who, err)
	}

	// A token that the platform took back is not taken over.
	w.platform.revoke(goodToken)
	third := newBrowser(t, auth.HTTP)
	path = third.authorize(request(third.client()))
	third.account(path)
	third.do(http.MethodGet, path, nil)
	if strings.Contains(third.body, "Acme") {
		t.Error("a revoked token still opens its company")
	}
}

func TestASignInThatIsNotWhatItSeemsIsNone(t *testing.T) {
	w, provider := newWorld(t), newIssuer(t)
	auth := w.withAccounts(provider)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	set := func(name string, value any) func(map[string]any) {
		return func(claims map[string]any) { claims[name] = value }
	}
	for name, change := range map[string]func(map[string]any){
		"a token for another sign-in":   set("nonce", "other"),
		"a token without a nonce":       set("nonce", ""),
		"a token for another client":    set("aud", "other"),
		"a token of another issuer":     set("iss", "https://evil.example"),
		"a token that is over":          set("exp", time.Now().Add(-time.Hour).Unix()),
		"a person whom nobody knows":    set("sub", "ana@example.com"),
		"a person with a broken number": set("sub", 7.5),
		"nobody":                        set("sub", nil),
		"a token with another's key":    func(map[string]any) { provider.signer = other },
	} {
		t.Run(name, func(t *testing.T) {
			provider.mu.Lock()
			provider.change, provider.signer = change, provider.key
			provider.mu.Unlock()
			b := newBrowser(t, auth.HTTP)
			path := b.authorize(request(b.client()))
			if got := b.account(path); got != path+"?sign-in=account" {
				t.Errorf("it leads to %q", got)
			}
			b.do(http.MethodGet, path+"?sign-in=account", nil)
			if !strings.Contains(b.body, "did not end well") || strings.Contains(b.body, "#approval") {
				t.Errorf("the page says:\n%s", b.body)
			}
		})
	}
}

func TestAWayToTheIssuerIsForOneBrowserOnce(t *testing.T) {
	w, provider := newWorld(t), newIssuer(t)
	auth := w.withAccounts(provider)
	mine, theirs := newBrowser(t, auth.HTTP), newBrowser(t, auth.HTTP)
	path := mine.authorize(request(mine.client()))
	theirs.authorize(request(theirs.client()))
	back := func() string {
		there := mine.do(http.MethodGet, "/sign-in/account?"+url.Values{"next": {path}}.Encode(), nil).Header.Get("Location")
		return mine.do(http.MethodGet, there, nil).Header.Get("Location")
	}
	fails := func(name string, r *http.Response) {
		t.Helper()
		if r.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d to %q", name, r.StatusCode, r.Header.Get("Location"))
		}
	}
	one := back()
	fails("in another browser", theirs.do(http.MethodGet, one, nil))
	if r := mine.do(http.MethodGet, one, nil); r.Header.Get("Location") != path {
		t.Errorf("in its own: %d to %q", r.StatusCode, r.Header.Get("Location"))
	}
	fails("once more", mine.do(http.MethodGet, one, nil))
	fails("without a state", mine.do(http.MethodGet, "/sign-in/callback?code=x", nil))
	fails("an invented state", mine.do(http.MethodGet, "/sign-in/callback?code=x&state=y", nil))
	if r := mine.do(http.MethodGet, strings.Replace(back(), "iss=", "iss=x", 1), nil); !strings.HasSuffix(r.Header.Get("Location"), "sign-in=account") {
		t.Errorf("an answer of another issuer leads to %q", r.Header.Get("Location"))
	}
	for _, elsewhere := range []string{"https://evil.example/", "//evil.example/authorize/", "/token", ""} {
		if r := mine.do(http.MethodGet, "/sign-in/account?"+url.Values{"next": {elsewhere}}.Encode(), nil); r.StatusCode != http.StatusNotFound {
			t.Errorf("to %q: %d", elsewhere, r.StatusCode)
		}
	}
	values := request(mine.client())
	values.Set("prompt", "login")
	path = mine.authorize(values)
	mine.do(http.MethodGet, path, nil)
	if !strings.Contains(mine.body, "fresh=1") {
		t.Error("prompt=login does not ask the issuer for a proof of now")
	}
	there := mine.do(http.MethodGet, "/sign-in/account?fresh=1&"+url.Values{"next": {path}}.Encode(), nil).Header.Get("Location")
	mine.do(http.MethodGet, there, nil)
	provider.mu.Lock()
	defer provider.mu.Unlock()
	if provider.prompt != "login" {
		t.Errorf("the issuer is asked with prompt %q", provider.prompt)
	}
}

func TestAnAccountThatIsSignedInAlreadyIsNoProofOfNow(t *testing.T) {
	w, provider := newWorld(t), newIssuer(t)
	auth := w.withAccounts(provider)
	told := func(ago time.Duration) func(map[string]any) {
		return func(claims map[string]any) { claims["auth_time"] = time.Now().Add(-ago).Unix() }
	}
	for name, c := range map[string]struct {
		query  string
		change func(map[string]any)
		proven bool
	}{
		"the issuer was not asked for a new proof, and tells nothing": {"", nil, false},
		"it was not asked, and tells of one of an hour ago":           {"", told(time.Hour), false},
		"it was not asked, and the person proved it now":              {"", told(0), true},
		"it was asked, and tells of one of an hour ago":               {"&fresh=1", told(time.Hour), false},
		"it was asked, and the person proved it now":                  {"&fresh=1", told(0), true},
	} {
		t.Run(name, func(t *testing.T) {
			provider.mu.Lock()
			provider.change = c.change
			provider.mu.Unlock()
			b := newBrowser(t, auth.HTTP)
			values := request(b.client())
			values.Set("prompt", "login")
			path := b.authorize(values)
			there := b.do(http.MethodGet, "/sign-in/account?"+url.Values{"next": {path}}.Encode()+c.query, nil).Header.Get("Location")
			back := b.do(http.MethodGet, there, nil).Header.Get("Location")
			if to := b.do(http.MethodGet, back, nil).Header.Get("Location"); to != path {
				t.Fatalf("the sign-in leads to %q", to)
			}
			b.do(http.MethodGet, path, nil)
			if again := strings.Contains(b.body, `name="fresh"`); again == c.proven {
				t.Errorf("the page asks again: %t:\n%s", again, b.body)
			}
		})
	}
}

func TestAnIssuerThatDoesNotTellWhenIsNoProofOfNow(t *testing.T) {
	w, provider := newWorld(t), newIssuer(t)
	auth := w.withAccounts(provider)
	for name, told := range map[string]any{"nothing": nil, "a text": "now", "the year 1970": 0, "a fraction": 1.5} {
		t.Run("it tells "+name, func(t *testing.T) {
			provider.mu.Lock()
			provider.change = func(claims map[string]any) { claims["auth_time"] = told }
			provider.mu.Unlock()
			b := newBrowser(t, auth.HTTP)
			values := request(b.client())
			values.Set("prompt", "login")
			path := b.authorize(values)
			there := b.do(http.MethodGet, "/sign-in/account?fresh=1&"+url.Values{"next": {path}}.Encode(), nil).Header.Get("Location")
			at, err := url.Parse(there)
			if err != nil {
				t.Fatal(err)
			}
			asked := at.Query()
			if asked.Get("max_age") != "0" {
				t.Errorf("the issuer is asked %v", asked)
			}
			// The person takes the demand out of the address.
			asked.Del("prompt")
			asked.Del("max_age")
			at.RawQuery = asked.Encode()
			back := b.do(http.MethodGet, at.String(), nil).Header.Get("Location")
			to := b.do(http.MethodGet, back, nil).Header.Get("Location")
			if to != path+"?sign-in=silent" {
				t.Fatalf("the sign-in leads to %q", to)
			}
			if b.do(http.MethodGet, to, nil); !strings.Contains(b.body, "must send auth_time") || strings.Contains(b.body, "Signed in as") {
				t.Errorf("the page says:\n%s", b.body)
			}
		})
	}
}

func TestACredentialThatCannotBeOpenedIsAskedForAgain(t *testing.T) {
	w, provider := newWorld(t), newIssuer(t)
	auth := w.withAccounts(provider)
	b := newBrowser(t, auth.HTTP)
	path := b.authorize(request(b.client()))
	b.signIn(path, goodToken)
	b.approve(path, nil)
	w.spoilCredentials()

	again := newBrowser(t, auth.HTTP)
	client := again.client()
	path = again.authorize(request(client))
	if to := again.account(path); to != path {
		t.Fatalf("the sign-in leads to %q", to)
	}
	if again.do(http.MethodGet, path, nil); strings.Contains(again.body, "Acme") {
		t.Errorf("a company counts whose credential is lost:\n%s", again.body)
	}
	again.signIn(path, goodToken) // adds the company
	if code := again.approve(path, nil).Get("code"); code == "" {
		t.Error("with the token given again, nothing can be approved")
	}
}

// spoilCredentials makes every credential that links keep one that cannot be opened,
// as after a key was lost.
func (w *world) spoilCredentials() {
	w.t.Helper()
	links := w.links()
	owned, err := links.OfPerson(w.t.Context(), 7)
	if err != nil {
		w.t.Fatal(err)
	}
	spoilt := 0
	for _, l := range owned {
		if link.Implicit(l.ID) {
			continue
		}
		_, err := links.Change(w.t.Context(), l.ID, func(now *link.Record) error {
			for i := range now.Companies {
				now.Companies[i].Sealed = []byte("of a key that is gone")
				spoilt++
			}
			return nil
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	if spoilt == 0 {
		w.t.Fatal("there is no credential to spoil")
	}
}

func TestAnIssuerThatIsAwayLeavesTheTokens(t *testing.T) {
	w, provider := newWorld(t), newIssuer(t)
	auth := w.withAccounts(provider)
	provider.Close()
	b := newBrowser(t, auth.HTTP)
	path := b.authorize(request(b.client()))
	r := b.do(http.MethodGet, "/sign-in/account?"+url.Values{"next": {path}}.Encode(), nil)
	if r.Header.Get("Location") != path+"?sign-in=issuer" {
		t.Errorf("it leads to %q", r.Header.Get("Location"))
	}
	b.signIn(path, goodToken)
	b.approve(path, nil)
}
