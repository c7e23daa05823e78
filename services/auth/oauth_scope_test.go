package auth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

func TestWhatThePersonChoosesIsWhatTheHostsGet(t *testing.T) {
	w := newWorld(t)
	r := w.withOAuth(nil)
	b := newBrowser(t, r.HTTP)
	tokens := b.connect(b.client(), func(f url.Values) {
		f["area"] = []string{"build", "storage", "billing"} // there is no billing
		f.Del("read_only")
		f.Set("ask", "escrituras")
		f.Set("only.application", "some")
		f["root.application"] = []string{"9\tshop", "10\tblog", "9\tshop again"}
		f.Set("only.bucket", "some")
		f.Set("only.nonsense", "some")
		f.Set("days", "1000")
	})
	if tokens["scope"] != "build:read build:write" {
		t.Errorf("the token's scope is %v", tokens["scope"])
	}
	want := identity.Scope{
		Areas: []string{"build", "storage"}, Ask: identity.AskWrites,
		Resources: map[string]identity.Resources{"application": {IDs: []string{"10", "9"}}, "bucket": {}},
	}
	if diff := cmp.Diff(want, principal(t, w.client(r), tokens).Scope); diff != "" {
		t.Errorf("scope (-want +got):\n%s", diff)
	}
}

// TestACompanyIsOpenedByItsOwnTokenOnly: whoever holds a person's token of one
// company gets nothing of the others, also not through a client that the person
// approved before.
func TestACompanyIsOpenedByItsOwnTokenOnly(t *testing.T) {
	w := newWorld(t)
	second := identity.Secret("azion" + strings.Repeat("b", 35))
	w.platform.people[second] = owner{id: 7, email: "ana@example.com", company: 1002}
	r := w.withOAuth(nil)
	b := newBrowser(t, r.HTTP)
	id := b.client()
	path := b.authorize(request(id))
	b.signIn(path, goodToken)
	b.signIn(path, second)
	status, tokens := b.post("/token", exchange(id, b.approve(path, nil).Get("code")))
	if status != http.StatusOK {
		t.Fatalf("the exchange answered %d %v", status, tokens)
	}
	companies := func() (ids []int64) {
		for _, c := range principal(t, w.client(r), tokens).Companies {
			ids = append(ids, c.ID)
		}
		return ids
	}
	if got := companies(); !cmp.Equal(got, []int64{1001, 1002}) {
		t.Fatalf("the link acts in %v", got)
	}

	thief := newBrowser(t, r.HTTP)
	path = thief.authorize(request(id))
	thief.signIn(path, second)
	if response := thief.do(http.MethodGet, path, nil); response.StatusCode != http.StatusOK || !strings.Contains(thief.body, "did not prove") {
		t.Fatalf("a session is opened without a page: %d", response.StatusCode)
	}
	thief.approve(path, func(f url.Values) { f["company"] = []string{"1001", "1002"} })
	if got := companies(); !cmp.Equal(got, []int64{1002}) {
		t.Errorf("an approval with one company's token leaves the link acting in %v", got)
	}

	t.Run("what was set stays when a company is added, and when its token is wrong", func(t *testing.T) {
		b := newBrowser(t, r.HTTP)
		path := b.authorize(request(b.client()))
		b.signIn(path, goodToken)
		set := func(f url.Values) {
			f.Del("read_only")
			f["area"], f["ask"], f["days"] = []string{"build", "docs"}, []string{"escrituras"}, []string{"1"}
			f["only.application"], f["root.application"] = []string{"some"}, []string{"5\tshop"}
		}
		for _, token := range []identity.Secret{unknownToken, second} {
			b.add(path, token, set)
			form := b.form(path)
			got := []any{form["area"], form.Get("read_only"), form.Get("ask"), form.Get("days"), form["root.application"]}
			if want := []any{[]string{"docs", "build"}, "", "escrituras", "1", []string{"5\tshop"}}; !cmp.Equal(got, want) {
				t.Errorf("the form has %v, want %v", got, want)
			}
			if token == unknownToken && !strings.Contains(b.body, "does not accept this token") {
				t.Errorf("the page does not say what is wrong:\n%s", b.body)
			}
		}
		if got := b.form(path)["company"]; !cmp.Equal(got, []string{"1001", "1002"}) {
			t.Errorf("the companies are %v", got)
		}
	})

	t.Run("another person's token does not join the session", func(t *testing.T) {
		other := b.authorize(request(b.client()))
		b.signIn(other, readerToken)
		if !strings.Contains(b.body, "belongs to another person") {
			t.Errorf("the page does not say so:\n%s", b.body)
		}
	})
}
