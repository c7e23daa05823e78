package secret_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/operation/natstest"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/seal"
	"github.com/comporta-mcp/comporta/pkg/secret"
)

const (
	hush  = "CANARY-shown-once"
	ana   = int64(7)
	pages = "https://auth.example.com"
	id    = "01JDXT7M1S0000000000000000"
)

var create = &catalog.Tool{
	Name: "create_credential", Area: "storage", Effect: catalog.Write, Creates: true,
	Find:      &catalog.Find{List: "list_credentials", By: []catalog.Match{{Arg: "name", Field: "name"}}},
	Secrets:   []string{"data.secret_key"},
	ShownOnce: []string{"data.secret_key"},
	Binding: &catalog.Binding{
		Method: "POST", Path: "/credentials", Accepts: "application/json",
		Auth: catalog.Auth{In: catalog.Header, Name: "Authorization"},
		Body: &catalog.Body{MediaType: "application/json", Required: true, Fields: []string{"name"}},
	},
}

var list = &catalog.Tool{
	Name: "list_credentials", Area: "storage", Effect: catalog.Read,
	List: &catalog.List{Key: "results", TotalKey: "count", PageArg: "page", SizeArg: "page_size", MaxSize: 100},
	Binding: &catalog.Binding{
		Method: "GET", Path: "/credentials", Accepts: "application/json",
		Auth: catalog.Auth{In: catalog.Header, Name: "Authorization"},
		Params: []catalog.Param{
			{Arg: "page", Name: "page", In: catalog.Query, Style: "form"},
			{Arg: "page_size", Name: "page_size", In: catalog.Query, Style: "form"},
			{Arg: "name", Name: "name", In: catalog.Query, Style: "form"},
		},
	},
}

func tools(name string) (*catalog.Tool, bool) {
	for _, t := range []*catalog.Tool{create, list} {
		if t.Name == name {
			return t, true
		}
	}
	return nil, false
}

// world is a platform that shows a secret once, NATS, and auth's keys.
type world struct {
	t     *testing.T
	nats  *natstest.Server
	bus   *bus.Bus
	store *secret.Store
	keys  *keys
	now   time.Time

	mu    sync.Mutex
	made  []string // names
	posts int
	stand *httptest.Server
}

// keys is auth's side and a host's side of sealing.
type keys struct {
	*seal.Opener
	away error
}

func (k *keys) SealingKey(context.Context) (*seal.Sealer, string, error) {
	if k.away != nil {
		return nil, "", k.away
	}
	sealer, err := seal.NewSealer(k.Public())
	return sealer, pages, err
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, nats: natstest.Start(t), now: time.Now()}
	w.bus = w.nats.Connect()
	w.store = secret.NewStore(w.bus, func() time.Time { return w.now })
	kv, err := w.bus.KV(t.Context(), bus.Keys)
	if err != nil {
		t.Fatal(err)
	}
	master, err := seal.ParseMaster("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	if err != nil {
		t.Fatal(err)
	}
	opener, err := seal.NewOpener(t.Context(), kv, master, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	w.keys = &keys{Opener: opener}
	w.stand = httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(w.stand.Close)
	return w
}

func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rw.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet {
		results := []any{}
		for i, name := range w.made {
			results = append(results, map[string]any{"id": i + 1, "name": name})
		}
		_ = json.NewEncoder(rw).Encode(map[string]any{"count": len(results), "results": results})
		return
	}
	var body struct{ Name string }
	_ = json.NewDecoder(r.Body).Decode(&body)
	w.posts++
	w.made = append(w.made, body.Name)
	rw.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(rw).Encode(map[string]any{"state": "executed", "data": map[string]any{
		"id": len(w.made), "name": body.Name, "secret_key": hush + strconv.Itoa(w.posts),
	}})
}

func (w *world) keeper() *secret.Keeper {
	return &secret.Keeper{
		Client: platform.New(platform.Config{URL: w.stand.URL, Timeout: 5 * time.Second}, platform.Options{}),
		Keys:   w.keys, Store: w.store, Log: slog.New(slog.DiscardHandler),
	}
}

func request() platform.Request {
	return platform.Request{
		Tool: create, Args: map[string]any{"name": "backup"}, Authorization: identity.Secret("Token azion"), CompanyID: 1001,
		Holder: platform.Holder{PersonID: ana, LinkID: "pt_0123456789abcdef", CallID: "01JDXT7M1S0000000000000001", ID: id},
	}
}
