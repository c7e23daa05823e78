package auth

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
)

// writing approves a link for two areas that may write.
func writing(form url.Values) {
	form["area"] = []string{"build", "storage"}
	form.Del("read_only")
}

// save fills in the editor's form and saves it; it gives where that leads.
func (m *ofMe) save(change func(url.Values)) string {
	m.t.Helper()
	path := "/me/links/" + m.link + "/scope"
	m.do(http.MethodGet, path, nil)
	form := m.form(path)
	change(form)
	form.Set("decision", "save")
	response := m.do(http.MethodPost, path, form)
	if response.StatusCode != http.StatusSeeOther {
		m.t.Fatalf("saving answers %d:\n%s", response.StatusCode, m.body)
	}
	return response.Header.Get("Location")
}

// scope waits until the other replica gives the link's scope as wanted.
func (m *ofMe) scope(want string) {
	m.t.Helper()
	eventually(m.t, link.MaxLate, func() string {
		who, err := m.calls("build")
		if err != nil {
			return fmt.Sprint(err)
		}
		got := fmt.Sprintf("%v %v %v %v", who.Scope.Areas, who.Scope.ReadOnly, who.Scope.Ask, who.Scope.Resources["application"].IDs)
		if got != want {
			return fmt.Sprintf("the scope is %s, want %s", got, want)
		}
		return ""
	})
}

func TestNarrowingCountsAtOnce(t *testing.T) {
	m := newOfMe(t, writing)
	m.scope("[build storage] false destructivas []")
	to := m.save(func(form url.Values) {
		form["area"] = []string{"build"}
		form.Set("read_only", "on")
		form.Set("only.application", "some")
		form["root.application"] = []string{"42\tShop"}
	})
	if to != "/me/links/"+m.link+"?did=narrow" {
		t.Errorf("it leads to %q", to)
	}
	m.scope("[build] true destructivas [42]")
	if _, err := m.calls("storage"); !isRefused(err, identity.RefusedArea) {
		t.Errorf("the area that was taken away: %v", err)
	}
	if to := m.save(func(url.Values) {}); to != "/me/links/"+m.link+"?did=same" {
		t.Errorf("a form that changes nothing leads to %q", to)
	}
	if got := fmt.Sprint(m.deeds()); got != "[link_narrowed]" {
		t.Errorf("the audit has %s", got)
	}
	m.do(http.MethodGet, "/me/links/"+m.link, nil)
	for _, says := range []string{"Read only", "<code>42</code>"} {
		if !strings.Contains(m.body, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
}

func TestAnEarlierEndEndsTheSessionsToo(t *testing.T) {
	m := newOfMe(t, func(form url.Values) { form.Set("days", "180") })
	before := m.allowedWithin().Link.SessionUntil
	m.save(func(form url.Values) { form.Set("days", "1") })
	eventually(t, link.MaxLate, func() string {
		who, err := m.calls("build")
		if err != nil || !who.Link.SessionUntil.Before(before.AddDate(0, 0, -178)) {
			return fmt.Sprintf("%v, %+v", err, who)
		}
		return ""
	})
	m.do(http.MethodGet, "/me/links/"+m.link+"/scope", nil)
	if strings.Contains(m.body, `name="days" value="30"`) {
		t.Error("the editor offers a later end, which no session would get")
	}
}

func TestGivingMoreNeedsAnotherSignIn(t *testing.T) {
	m := newOfMe(t, nil)
	m.scope("[build] true destructivas []")
	more := func(form url.Values) { form["area"] = []string{"build", "storage"}; form.Del("read_only") }
	m.age() // the session is of an hour ago
	at := m.save(more)
	if !regexp.MustCompile(`^/me/links/` + m.link + `/scope/[0-9a-f]{32}$`).MatchString(at) {
		t.Fatalf("it leads to %q", at)
	}
	m.do(http.MethodGet, at, nil)
	for _, says := range []string{"one more area: storage", "create, change and delete", `name="fresh"`} {
		if !strings.Contains(m.body, says) {
			t.Errorf("the page does not say %q:\n%s", says, m.body)
		}
	}
	if strings.Contains(m.body, `id="widen"`) {
		t.Error("the page has the button before the person signed in again")
	}
	if to := m.do(http.MethodPost, at, m.proof(at)).Header.Get("Location"); to != at {
		t.Errorf("without another sign-in it leads to %q", to)
	}
	m.scope("[build] true destructivas []")

	reader := newBrowser(t, m.base)
	reader.signIn("/me", readerToken)
	if status := reader.do(http.MethodGet, at, nil).StatusCode; status != http.StatusNotFound {
		t.Errorf("another person sees the change: %d", status)
	}
	m.signIn(at, goodToken)
	m.do(http.MethodGet, at, nil)
	give := m.form(at)
	if to := m.do(http.MethodPost, at, give).Header.Get("Location"); to != "/me/links/"+m.link+"?did=widen" {
		t.Errorf("it leads to %q:\n%s", to, m.body)
	}
	m.scope("[build storage] false destructivas []")
	if status := m.do(http.MethodPost, at, give).StatusCode; status != http.StatusNotFound {
		t.Errorf("a change is made twice: %d", status)
	}
	if got := fmt.Sprint(m.deeds()); got != "[link_widened]" {
		t.Errorf("the audit has %s", got)
	}
}

func TestAddingACompanyKeepsWhatThePersonSet(t *testing.T) {
	m := newOfMe(t, writing)
	second := identity.Secret("azion" + strings.Repeat("b", 35))
	m.world.platform.mu.Lock()
	m.world.platform.people[second] = owner{id: 7, email: "ana@example.com", company: 1002}
	m.world.platform.mu.Unlock()
	path := "/me/links/" + m.link + "/scope"
	set := func(form url.Values) {
		form["area"] = []string{"build", "observe"}
		form.Set("read_only", "on")
		form.Set("ask", "escrituras")
		form.Set("days", "1")
		form.Set("only.application", "some")
		form.Set("root.application", "17\tshop")
	}
	kept := func() {
		t.Helper()
		form := m.form(path)
		if !slices.Equal(form["area"], []string{"build", "observe"}) || form.Get("read_only") != "on" || form.Get("ask") != "escrituras" ||
			form.Get("days") != "1" || form.Get("only.application") != "some" || form.Get("root.application") != "17\tshop" {
			t.Errorf("the form has %v", form)
		}
	}
	m.do(http.MethodGet, path, nil)
	m.add(path, readerToken, set)
	if kept(); !strings.Contains(m.body, "belongs to another person") {
		t.Errorf("another person's token is taken:\n%s", m.body)
	}
	m.add(path, second, nil)
	if kept(); !slices.Equal(m.form(path)["company"], []string{"1001", "1002"}) {
		t.Errorf("the companies are %v", m.form(path)["company"])
	}
	m.scope("[build storage] false destructivas []") // nothing is saved by it
}

func TestAChangeIsOverOnceTheLinkIsAnother(t *testing.T) {
	m := newOfMe(t, writing)
	at := m.save(func(form url.Values) { form["area"] = append(form["area"], "observe") })
	m.do(http.MethodGet, at, nil)
	give := m.form(at)
	m.save(func(form url.Values) { form["area"] = []string{"build"} }) // in another tab
	if status := m.do(http.MethodPost, at, give).StatusCode; status != http.StatusNotFound {
		t.Errorf("it answers %d", status)
	}
	who := m.allowedWithin()
	if slices.Contains(who.Scope.Areas, "observe") {
		t.Errorf("the areas are %v", who.Scope.Areas)
	}
}

func TestWhatIsNotOnTheEditorIsNotTaken(t *testing.T) {
	m := newOfMe(t, writing)
	path := "/me/links/" + m.link + "/scope"
	m.do(http.MethodGet, path, nil)
	form := m.form(path)
	form["area"] = nil
	form.Set("decision", "save")
	if status := m.do(http.MethodPost, path, form).StatusCode; status != http.StatusUnprocessableEntity || !strings.Contains(m.body, "Choose at least one area.") {
		t.Errorf("no area: %d", status)
	}
	form["area"] = []string{"build", "billing"}
	form["company"] = []string{"1001", "1002"}
	form.Set("days", "100000")
	m.do(http.MethodPost, path, form)
	m.scope("[build] false destructivas []")
	// A later end is not offered: it needs a new approval.
	if to := m.save(func(form url.Values) { form.Set("days", "180") }); to != "/me/links/"+m.link+"?did=same" {
		t.Errorf("a later end leads to %q", to)
	}
	if who := m.allowedWithin(); len(who.Companies) != 1 {
		t.Errorf("the companies are %v", who.Companies)
	}
}

// proof is the right form of a page of this person in this browser, which the page
// itself does not show yet.
func (m *ofMe) proof(path string) url.Values {
	m.t.Helper()
	at, err := url.Parse(m.base)
	if err != nil {
		m.t.Fatal(err)
	}
	cookies := map[string]string{}
	for _, c := range m.http.Jar.Cookies(at) {
		cookies[c.Name] = c.Value
	}
	session := fmt.Sprintf("%x", sha256.Sum256([]byte(cookies["comporta-person"])))
	return url.Values{"form": {signin.Browser(cookies["comporta-browser"]).Form("me", path, session)}}
}

// age makes the person's session one of an hour ago.
func (m *ofMe) age() {
	m.t.Helper()
	b, err := bus.Connect(bus.Config{URL: m.world.nats.URL()}, "test", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		m.t.Fatal(err)
	}
	defer b.Close()
	kv, err := b.JS.KeyValue(m.t.Context(), bus.Signins)
	if err != nil {
		m.t.Fatal(err)
	}
	keys, err := kv.Keys(m.t.Context())
	if err != nil || len(keys) != 1 {
		m.t.Fatalf("the sessions are %v, %v", keys, err)
	}
	entry, err := kv.Get(m.t.Context(), keys[0])
	if err != nil {
		m.t.Fatal(err)
	}
	var session map[string]any
	if err := json.Unmarshal(entry.Value(), &session); err != nil {
		m.t.Fatal(err)
	}
	session["at"] = time.Now().Add(-time.Hour).UTC()
	data, err := json.Marshal(session)
	if err == nil {
		_, err = kv.Update(m.t.Context(), keys[0], data, entry.Revision())
	}
	if err != nil {
		m.t.Fatal(err)
	}
}
