package auth

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/problem"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
)

// ofMe is a person with one connected agent, in front of two replicas of auth.
type ofMe struct {
	*browser
	world  *world
	other  *identity.AuthClient // of the replica that the browser does not use
	tokens map[string]any
	link   string
}

var linkPath = regexp.MustCompile(`href="/me/links/([0-9A-Z]{26})"`)

func newOfMe(t *testing.T, change func(url.Values)) *ofMe {
	t.Helper()
	w := newWorld(t)
	front := w.withOAuth(nil)
	other := w.client(w.withOAuth(nil))
	b := newBrowser(t, front.HTTP)
	m := &ofMe{browser: b, world: w, other: other, tokens: b.connect(b.client(), change)}
	b.do(http.MethodGet, "/me", nil)
	found := linkPath.FindStringSubmatch(b.body)
	if found == nil {
		t.Fatalf("the page shows no link:\n%s", b.body)
	}
	m.link = found[1]
	return m
}

// calls asks the other replica about the agent's token in an area.
func (m *ofMe) calls(area string) (*identity.Principal, error) {
	m.t.Helper()
	return m.other.Authenticate(m.t.Context(), bearer(m.tokens["access_token"]), area, "192.0.2.7")
}

// click posts the form of the page at path that goes to action.
func (m *ofMe) click(path, action string, set ...string) *http.Response {
	m.t.Helper()
	m.do(http.MethodGet, path, nil)
	form := m.form(action)
	for i := 0; i+1 < len(set); i += 2 {
		form.Set(set[i], set[i+1])
	}
	return m.do(http.MethodPost, action, form)
}

func (m *ofMe) refusedWithin(want identity.RefusalKind) {
	m.t.Helper()
	eventually(m.t, link.MaxLate, func() string {
		if _, err := m.calls("build"); !isRefused(err, want) {
			return fmt.Sprintf("the other replica answers %v, want refused: %s", err, want)
		}
		return ""
	})
}

func (m *ofMe) allowedWithin() *identity.Principal {
	m.t.Helper()
	var who *identity.Principal
	eventually(m.t, link.MaxLate, func() (fault string) {
		var err error
		if who, err = m.calls("build"); err != nil {
			return fmt.Sprint("the other replica answers ", err)
		}
		return ""
	})
	return who
}

// ledger is the audit of one host.
func (m *ofMe) ledger() (*audit.Log, *bus.Bus) {
	m.t.Helper()
	b, err := bus.Connect(bus.Config{URL: m.world.nats.URL()}, "host", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(b.Close)
	l, err := audit.Open(audit.Options{Bus: b, Dir: m.t.TempDir(), Writer: "host"})
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() {
		if err := l.Close(context.WithoutCancel(m.t.Context())); err != nil {
			m.t.Error(err)
		}
	})
	return l, b
}

// called makes a record of a call of the link's.
func (m *ofMe) called(l *audit.Log, tool string, args map[string]any, failure error) {
	m.t.Helper()
	run := l.Stage()(func(context.Context, *call.Call) (*call.Answer, error) { return &call.Answer{}, failure })
	_, _ = run(m.t.Context(), &call.Call{
		ID: operation.NewID(time.Now()), Area: "build", Tool: &catalog.Tool{Name: tool, Effect: catalog.Read}, Args: args,
		Principal: &identity.Principal{
			Link: identity.Link{ID: m.link, Scheme: identity.Bearer}, Person: identity.Person{ID: 7}, Client: identity.Client{Name: "Agent"},
		},
	})
}

// deeds are what the audit says that persons did, in order.
func (m *ofMe) deeds() (all []string) {
	m.t.Helper()
	_, b := m.ledger()
	for r, err := range audit.Query(m.t.Context(), b, audit.Filter{LinkID: m.link}) {
		if err != nil {
			m.t.Fatal(err)
		}
		if r.GetKind() == auditv1.Kind_KIND_PERSON && r.GetPersonId() == 7 {
			all = append(all, r.GetAction())
		}
	}
	return all
}

func TestAPersonPausesAndRevokesForEveryReplica(t *testing.T) {
	m := newOfMe(t, nil)
	m.allowedWithin()
	path := "/me/links/" + m.link
	if at := m.click("/me", path, "do", "pause").Header.Get("Location"); at != "/me?did=pause" {
		t.Errorf("the click leads to %q", at)
	}
	m.refusedWithin(identity.RefusedPaused)
	m.do(http.MethodGet, "/me?did=pause", nil)
	if !strings.Contains(m.body, "Let it go on") || !strings.Contains(m.body, `role="status"`) {
		t.Errorf("the page of a paused agent:\n%s", m.body)
	}
	m.do(http.MethodGet, path, nil)
	old := m.form(path) // in another tab
	m.click(path, path, "do", "resume")
	m.allowedWithin()
	if at := m.click(path, path, "do", "revoke").Header.Get("Location"); at != path+"?did=revoke" {
		t.Errorf("the click leads to %q", at)
	}
	m.refusedWithin(identity.RefusedBearer)
	old.Set("do", "resume")
	if at := m.do(http.MethodPost, path, old).Header.Get("Location"); !strings.HasSuffix(at, "?did=same") {
		t.Errorf("letting a revoked agent go on leads to %q", at)
	}
	if got := fmt.Sprint(m.deeds()); got != "[link_paused link_resumed link_revoked]" {
		t.Errorf("the audit has %s", got)
	}
	m.do(http.MethodGet, path, nil)
	if strings.Contains(m.body, `value="resume"`) || !strings.Contains(m.body, "revoked") {
		t.Error("a revoked agent could be let go on")
	}
}

func TestAPageTellsOnlyOfWhatThePersonDid(t *testing.T) {
	m := newOfMe(t, nil)
	path := "/me/links/" + m.link
	told := func(at string) bool {
		t.Helper()
		m.do(http.MethodGet, at, nil)
		return strings.Contains(m.body, `<p class="note" role="status">`)
	}
	for _, did := range []string{"pause", "resume", "revoke", "pause-all", "revoke-all", "narrow", "widen", "same", "other"} {
		for _, page := range []string{"/me", path} {
			if told(page + "?did=" + did) {
				t.Errorf("%s tells of %q, which nobody did", page, did)
			}
		}
	}
	m.click("/me", path, "do", "pause")
	for at, want := range map[string]bool{"/me?did=revoke-all": false, path + "?did=pause": false, "/me": false} {
		if told(at) != want {
			t.Errorf("after pausing, %s tells something", at)
		}
	}
	if !told("/me?did=pause") {
		t.Errorf("the page does not tell of what was done:\n%s", m.body)
	}
	if told("/me?did=pause") {
		t.Error("the page tells twice of what was done once")
	}
	m.do(http.MethodGet, "/me", nil)
	again := m.form("/me/stop") // in another tab
	again.Set("do", "revoke")
	m.click("/me", "/me/stop", "do", "revoke")
	if to := m.do(http.MethodPost, "/me/stop", again).Header.Get("Location"); to != "/me?did=same" {
		t.Errorf("stopping what is stopped leads to %q", to)
	}
}

func TestAPersonStopsAllAgents(t *testing.T) {
	m := newOfMe(t, nil)
	if _, err := ask(t, m.other, goodToken); err != nil { // a personal token is an agent, too
		t.Fatal(err)
	}
	m.click("/me", "/me/stop", "do", "pause")
	m.refusedWithin(identity.RefusedPaused)
	if _, err := ask(t, m.other, goodToken); !isRefused(err, identity.RefusedPaused) {
		t.Errorf("the personal token: %v", err)
	}
	m.click("/me", "/me/stop", "do", "revoke")
	m.refusedWithin(identity.RefusedBearer)
	m.do(http.MethodGet, "/me", nil)
	if strings.Contains(m.body, "/me/stop") {
		t.Error("there is nothing left to stop, and the page offers it")
	}
}

func TestTheFormsOfMeBelongToTheirPersonAndBrowser(t *testing.T) {
	m := newOfMe(t, nil)
	path := "/me/links/" + m.link
	m.do(http.MethodGet, "/me", nil)
	good := m.form(path)
	with := func(name, value string) url.Values {
		form := url.Values{"do": {"revoke"}}
		for k, v := range good {
			form[k] = v
		}
		if name != "" {
			form.Set(name, value)
		}
		return form
	}
	reader := newBrowser(t, m.base)
	reader.signIn("/me", readerToken)
	if strings.Contains(reader.body, m.link) {
		t.Error("another person sees the link")
	}
	stranger := newBrowser(t, m.base)
	stop := m.form("/me/stop")
	stop.Set("do", "revoke")
	for name, answer := range map[string]*http.Response{
		"nobody is signed in":       stranger.do(http.MethodPost, path, with("", "")),
		"another person's browser":  reader.do(http.MethodPost, path, with("", "")),
		"no token":                  m.do(http.MethodPost, path, with("form", "")),
		"a guessed token":           m.do(http.MethodPost, path, with("form", strings.Repeat("A", 43))),
		"the form of another page":  m.do(http.MethodPost, path, with("form", stop.Get("form"))),
		"a form from another site":  m.do(http.MethodPost, path, with("", ""), "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"),
		"the editor without a form": m.do(http.MethodPost, path+"/scope", url.Values{"decision": {"save"}}),
		"an administrator's deed":   reader.do(http.MethodPost, "/me/all/"+m.link, with("", "")),
	} {
		if answer.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", name, answer.StatusCode)
		}
	}
	for _, place := range []string{path, path + "/scope", path + "/scope/" + strings.Repeat("0", 32), "/me/links/nobody"} {
		if status := reader.do(http.MethodGet, place, nil).StatusCode; status != http.StatusNotFound {
			t.Errorf("%s answers another person %d", place, status)
		}
	}
	for _, place := range []string{"/me/all", "/me/all/calls", "/me/all/calls.csv"} {
		if status := reader.do(http.MethodGet, place, nil).StatusCode; status != http.StatusForbidden {
			t.Errorf("%s answers who is no administrator %d", place, status)
		}
	}
	m.allowedWithin()
	for name, want := range map[string]string{"X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"} {
		m.do(http.MethodGet, "/me", nil)
		if got := m.head.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestWhatWaitsAndRunsIsOnThePage(t *testing.T) {
	m := newOfMe(t, nil)
	l, b := m.ledger()
	m.called(l, "list_applications", nil, nil)
	m.called(l, "create_application", nil, problem.New(problem.SinPermiso, "No."))
	store := operation.NewStore(b, time.Now)
	submit := func(tool string, phase operationv1.Phase) string {
		id := operation.NewID(time.Now())
		if err := store.Submit(t.Context(), &operationv1.Operation{
			Id: id, LinkId: m.link, PersonId: 7, CompanyId: 1001, Area: "build", Tool: tool, Arguments: []byte("{}"),
			State: operationv1.State_STATE_RUNNING, Phase: phase, CreatedAt: timestamppb.Now(),
		}); err != nil {
			t.Fatal(err)
		}
		return id
	}
	waits := submit("delete_application", operationv1.Phase_PHASE_AWAITING_APPROVAL)
	submit("create_workload", operationv1.Phase_PHASE_EXECUTING)
	eventually(t, 10*time.Second, func() string {
		m.do(http.MethodGet, "/me", nil)
		for _, says := range []string{
			"<title>(1) Your agents", `href="/approve/` + m.link + "/" + waits + `"`, "is being done",
			"Calls in 30 days: 1. Refused: 1.", `class="refused"`,
		} {
			if !strings.Contains(m.body, says) {
				return fmt.Sprintf("the page does not say %q:\n%s", says, m.body)
			}
		}
		return ""
	})
}
