package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// Cookies names the cookies of the pages: one for the browser, which forms are
// bound to, one for who is signed in, and one that proves to the next page what the
// person just did.
type Cookies struct {
	// Secure is set where the pages are https; the names then begin with __Host-,
	// so that no other host can set them.
	Secure bool
}

func (c Cookies) name(what string) string {
	if c.Secure {
		return "__Host-comporta-" + what
	}
	return "comporta-" + what
}

func (c Cookies) set(w http.ResponseWriter, what, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: c.name(what), Value: value, Path: "/", MaxAge: seconds,
		Secure: c.Secure, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, // a client's site leads here, and the person should find themselves signed in
	})
}

func (c Cookies) get(r *http.Request, what string) string {
	cookie, err := r.Cookie(c.name(what))
	if err != nil {
		return ""
	}
	return cookie.Value
}

const personCookie, browserCookie, doneCookie = "person", "browser", "done"

// SetPerson signs the browser in; "" signs it out.
func (c Cookies) SetPerson(w http.ResponseWriter, secret identity.Secret, seconds int) {
	if secret == "" {
		seconds = -1
	}
	c.set(w, personCookie, string(secret), seconds)
}

// Person is the secret of who is signed in, or "".
func (c Cookies) Person(r *http.Request) string { return c.get(r, personCookie) }

// doneLife is how long the way from a deed to the page that tells of it may take, in
// seconds.
const doneLife = 60

// SetDone keeps the proof of what the person just did; "" forgets it.
func (c Cookies) SetDone(w http.ResponseWriter, proof string) {
	seconds := doneLife
	if proof == "" {
		seconds = -1
	}
	c.set(w, doneCookie, proof, seconds)
}

// Done is the proof of what the person just did, or "".
func (c Cookies) Done(r *http.Request) string { return c.get(r, doneCookie) }

// Browser gives this browser's own secret, making one where there is none.
func (c Cookies) Browser(w http.ResponseWriter, r *http.Request) Browser {
	if b := c.Known(r); b != "" {
		return b
	}
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails: crypto/rand
	secret := base64.RawURLEncoding.EncodeToString(random)
	c.set(w, browserCookie, secret, 0)
	return Browser(secret)
}

// Known is this browser's secret, or "" where it has none.
func (c Cookies) Known(r *http.Request) Browser {
	secret := c.get(r, browserCookie)
	if len(secret) != 43 {
		return ""
	}
	return Browser(secret)
}

// Browser is a browser's secret.
type Browser string

// ID names the browser without its secret, to bind a request to it.
func (b Browser) ID() string {
	if b == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("id\n" + b))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Form gives the token that a form must bring back: of this browser, for who is
// signed in and for this purpose. Another site can make the browser post, but
// cannot know it.
func (b Browser) Form(parts ...string) string {
	mac := hmac.New(sha256.New, []byte(b))
	mac.Write([]byte(strings.Join(parts, "\n")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Fits reports whether a form's token is the right one.
func (b Browser) Fits(token string, parts ...string) bool {
	return b != "" && hmac.Equal([]byte(token), []byte(b.Form(parts...)))
}
