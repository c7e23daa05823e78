package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/people"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/store"
)

// box is a sandbox under test, reached over HTTP, with a clock of its own.
type box struct {
	t      testing.TB
	dir    string
	model  *model.Model
	cfg    Config
	server *server
	http   *httptest.Server

	mu  sync.Mutex
	now time.Time
}

func gardens() map[string]fs.FS {
	return map[string]fs.FS{"garden": os.DirFS("testdata/garden")}
}

// open starts a sandbox of the gardens, or of other documents.
func open(t testing.TB, docs map[string]fs.FS, change ...func(*Config)) *box {
	t.Helper()
	b := &box{
		t: t, dir: t.TempDir(), model: load(t, docs),
		cfg: Config{PendingFor: time.Minute},
		now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
	}
	for _, f := range change {
		f(&b.cfg)
	}
	b.start()
	t.Cleanup(func() { b.stop() })
	return b
}

// gardenModel is read once for all tests: it does not change.
var gardenModel = sync.OnceValues(func() (*model.Model, error) { return model.Load(gardens()) })

func load(t testing.TB, docs map[string]fs.FS) *model.Model {
	t.Helper()
	read := gardenModel
	if docs["garden"] == nil {
		read = func() (*model.Model, error) { return model.Load(docs) }
	}
	m, err := read()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (b *box) start() {
	b.t.Helper()
	kept, err := store.Open(b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	cfg := b.cfg.withDefaults()
	cfg.DataDir = b.dir
	b.server = newServer(cfg, newEngine(cfg, b.model, kept, b.clock))
	b.http = httptest.NewServer(b.server)
}

func (b *box) stop() {
	b.t.Helper()
	b.http.Close()
	if err := b.server.engine.Store.Close(); err != nil {
		b.t.Error(err)
	}
}

// restart closes everything and opens the same folder again.
func (b *box) restart() {
	b.t.Helper()
	b.stop()
	b.start()
}

func (b *box) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *box) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// got is an answer, read.
type got struct {
	status int
	header http.Header
	raw    []byte
	body   map[string]any
}

func (g got) data() map[string]any {
	d, _ := g.body["data"].(map[string]any)
	return d
}

func (g got) results() []map[string]any {
	list, _ := g.body["results"].([]any)
	var items []map[string]any
	for _, item := range list {
		items = append(items, item.(map[string]any))
	}
	return items
}

func (g got) names() string {
	var names []string
	for _, item := range g.results() {
		names = append(names, fmt.Sprint(item["name"]))
	}
	return strings.Join(names, " ")
}

// id is the data's id as it stands in a path.
func (g got) id() string { return fmt.Sprint(g.data()["id"]) }

// with sets a header on a request.
func with(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// send sends a request as someone ("": nobody). A path that starts with /_ or
// /healthz is the sandbox's own, else it is below the API's base.
func (b *box) send(who, method, path string, body any, change ...func(*http.Request)) (got, error) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.http.URL+b.full(path), reader(b.t, body))
	if err != nil {
		b.t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if token := Tokens()[who]; token != "" {
		r.Header.Set("Authorization", "Token "+token)
	}
	for _, f := range change {
		f(r)
	}
	resp, err := b.http.Client().Do(r)
	if err != nil {
		return got{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	g := got{status: resp.StatusCode, header: resp.Header, raw: raw}
	if v, notJSON := shape.Decode(raw); notJSON == nil {
		g.body, _ = v.(map[string]any)
	}
	return g, err
}

func (b *box) full(path string) string {
	if strings.HasPrefix(path, "/_sandbox/") || path == "/healthz" {
		return path
	}
	return BasePath + path
}

func reader(t testing.TB, body any) io.Reader {
	switch body := body.(type) {
	case nil:
		return nil
	case string:
		return strings.NewReader(body)
	case []byte:
		return bytes.NewReader(body)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(raw)
}

// do sends and wants a status.
func (b *box) do(want int, who, method, path string, body any, change ...func(*http.Request)) got {
	b.t.Helper()
	g, err := b.send(who, method, path, body, change...)
	if err != nil {
		b.t.Fatalf("%s %s: %v", method, path, err)
	}
	if g.status != want {
		b.t.Fatalf("%s %s as %s: got %d, want %d: %s", method, path, who, g.status, want, g.raw)
	}
	return g
}

// garden makes a garden as admin, and gives its path.
func (b *box) garden(name string, more ...map[string]any) string {
	b.t.Helper()
	body := map[string]any{"name": name}
	for _, m := range more {
		maps.Copy(body, m)
	}
	return "/workspace/gardens/" + b.do(201, "admin", "POST", "/workspace/gardens", body).id()
}

// effects counts how often a tool's writes took effect in admin's company.
func (b *box) effects(tool string) int {
	b.t.Helper()
	g := b.do(200, "", "GET", fmt.Sprintf("/_sandbox/effects?account=%d&tool=%s", company("admin"), tool), nil)
	n, err := g.body["total"].(json.Number).Int64()
	if err != nil {
		b.t.Fatal(err)
	}
	return int(n)
}

func company(who string) int64 {
	h, _ := people.ByName(who)
	return h.Company.ID
}
