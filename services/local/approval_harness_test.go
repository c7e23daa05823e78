package local

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// visitor is somebody's browser, which follows no redirect by itself.
type visitor struct {
	t    *testing.T
	base string
	http *http.Client
	body string // of the last answer
}

func (e *everything) visitor() *visitor {
	e.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		e.t.Fatal(err)
	}
	return &visitor{t: e.t, base: e.ready.Auth, http: &http.Client{
		Jar:           jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (v *visitor) do(method, target string, form url.Values, headers ...string) *http.Response {
	v.t.Helper()
	if strings.HasPrefix(target, "/") {
		target = v.base + target
	}
	request, err := http.NewRequestWithContext(v.t.Context(), method, target, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", v.base)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
	}
	response, err := v.http.Do(request)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	v.body = html.UnescapeString(string(body))
	return response
}

var (
	hiddenInput = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)
	formOf      = regexp.MustCompile(`(?s)<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>`)
)

// form gives the hidden fields of the page's form that goes to this path.
func (v *visitor) form(action string) url.Values {
	v.t.Helper()
	for _, form := range formOf.FindAllStringSubmatch(v.body, -1) {
		if form[1] != action {
			continue
		}
		values := url.Values{}
		for _, input := range hiddenInput.FindAllStringSubmatch(form[2], -1) {
			values.Add(input[1], input[2])
		}
		return values
	}
	v.t.Fatalf("the page has no form for %s:\n%s", action, v.body)
	return nil
}

// signIn signs in on the page at path and looks at it again.
func (v *visitor) signIn(path, token string) {
	v.t.Helper()
	v.do(http.MethodGet, path, nil)
	form := v.form("/sign-in")
	form.Set("token", token)
	if response := v.do(http.MethodPost, "/sign-in", form); response.StatusCode != http.StatusSeeOther {
		v.t.Fatalf("sign-in answered %d: %s", response.StatusCode, v.body)
	}
	v.do(http.MethodGet, path, nil)
}

// connect goes the whole way of a new client for build, with the link asking as
// said, and gives its header.
func (v *visitor) connect(e *everything, ask string) string {
	v.t.Helper()
	return v.connectFor(e, []string{"build"}, func(form url.Values) { form.Set("ask", ask) })
}

// connectFor connects a new client to the areas, with a token for all of them, after
// change has worked on the form of the approval.
func (v *visitor) connectFor(e *everything, areas []string, change func(url.Values)) string {
	v.t.Helper()
	const callback, verifier = "http://127.0.0.1:33418/callback", "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
	client := v.json("/register", `{"client_name":"Robo","redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`, "application/json")["client_id"].(string)
	sum := sha256.Sum256([]byte(verifier))
	response := v.do(http.MethodGet, "/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {callback}, "resource": {e.ready.Areas[areas[0]]},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}.Encode(), nil)
	path := response.Header.Get("Location")
	v.do(http.MethodGet, path, nil)
	if strings.Contains(v.body, `action="/sign-in" class="sign"`) && !strings.Contains(v.body, `id="approval"`) {
		v.signIn(path, e.ready.Tokens["member"])
	}
	form := v.form(path)
	form["area"] = areas
	form.Set("days", "1")
	change(form)
	form.Set("decision", "approve")
	back, err := url.Parse(v.do(http.MethodPost, path, form).Header.Get("Location"))
	if err != nil || back.Query().Get("code") == "" {
		v.t.Fatalf("no code came: %v\n%s", back, v.body)
	}
	tokens := v.json("/token", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client}, "code": {back.Query().Get("code")},
		"redirect_uri": {callback}, "code_verifier": {verifier},
	}.Encode(), "application/x-www-form-urlencoded")
	return "Authorization: Bearer " + tokens["access_token"].(string)
}

func (v *visitor) json(path, body, contentType string) (answer map[string]any) {
	v.t.Helper()
	response, err := v.http.Post(v.base+path, contentType, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode >= 300 {
		v.t.Fatalf("%s answered %d %v %v", path, response.StatusCode, answer, err)
	}
	return answer
}

// asked is a call that waits for its person.
type asked struct {
	e      *everything
	agent  string
	path   string
	id     any
	record *operation.Record
}

// ask makes a call as the agent that must wait for its person.
func (e *everything) ask(agent, tool string, args map[string]any) *asked {
	e.t.Helper()
	begun := e.ok("build", "", tool, args, agent)
	if begun["fase"] != "esperando_aprobacion" {
		e.t.Fatalf("%s does not wait for a person: %v", tool, begun)
	}
	page, err := url.Parse(begun["aprobar_en"].(string))
	if err != nil {
		e.t.Fatal(err)
	}
	return &asked{e: e, agent: agent, path: page.Path, id: begun["operacion_id"]}
}

func (a *asked) now() map[string]any {
	a.e.t.Helper()
	return a.e.ok("build", "", "ver_operacion", map[string]any{"operacion_id": a.id}, a.agent)
}

// ended waits for the operation's end.
func (a *asked) ended() map[string]any {
	a.e.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		if op := a.now(); op["estado"] != "en_curso" {
			return op
		}
		select {
		case <-a.e.t.Context().Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	a.e.t.Fatalf("the operation did not end: %v", a.now())
	return nil
}

// fails waits for the end and wants this problem.
func (a *asked) fails(code, reason string) map[string]any {
	a.e.t.Helper()
	op := a.ended()
	failure, _ := op["error"].(map[string]any)
	detail, _ := failure["detalle"].(map[string]any)
	if failure["code"] != code || reason != "" && detail["motivo"] != reason {
		a.e.t.Errorf("ended with %v, want %s (%s)", op, code, reason)
	}
	return failure
}

// waits reports a call that does not wait for its person any more.
func (a *asked) waits() {
	a.e.t.Helper()
	if op := a.now(); op["fase"] != "esperando_aprobacion" {
		a.e.t.Errorf("the call does not wait any more: %v", op)
	}
}

// forge changes the operation's record the way a host with access to NATS could,
// and wakes a worker.
func (a *asked) forge(change func(*operationv1.Operation)) {
	a.e.t.Helper()
	ctx := a.e.t.Context()
	b, err := bus.Connect(bus.Config{URL: a.e.ready.NATS}, "forger", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		a.e.t.Fatal(err)
	}
	defer b.Close()
	store := operation.NewStore(b, time.Now)
	parts := strings.Split(a.path, "/")
	key, _ := operation.Key(parts[2], parts[3])
	saved := func() (r *operation.Record, err error) {
		if r, err = store.Load(ctx, key); err != nil {
			return nil, err
		}
		return r, store.Save(ctx, r, change)
	}
	r, err := saved()
	for errors.Is(err, record.ErrConflict) { // a worker was at it at the same moment
		r, err = saved()
	}
	if err != nil {
		a.e.t.Fatal(err)
	}
	if r.Op.GetPhase() == operationv1.Phase_PHASE_QUEUED {
		if err := store.Requeue(ctx, r); err != nil {
			a.e.t.Fatal(err)
		}
	}
	a.record = r
}

// approval is a copy of the yes that the record holds.
func (a *asked) approval() (yes *operationv1.Approval) {
	a.forge(func(op *operationv1.Operation) { yes = proto.CloneOf(op.GetApproval()) })
	return yes
}
