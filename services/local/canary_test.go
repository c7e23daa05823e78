package local

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/services/catalogs"
)

// canary begins every secret of this test.
const canary = "CANARY"

// outputs are the endpoints of streams with every kind of credential.
const outputs = `[
 {"type":"standard","attributes":{"type":"standard","url":"https://logs.example.com/","headers":{"Authorization":"CANARYheader"}}},
 {"type":"s3","attributes":{"type":"s3","access_key":"CANARYaccess","secret_key":"CANARYsecret","region":"r","bucket_name":"b","content_type":"plain/text","host_url":"https://s3.example.com"}},
 {"type":"big_query","attributes":{"type":"big_query","dataset_id":"d","project_id":"p","table_id":"t","service_account_key":"CANARYservice"}},
 {"type":"datadog","attributes":{"type":"datadog","url":"https://d.example.com/","api_key":"CANARYapi"}},
 {"type":"azure_monitor","attributes":{"type":"azure_monitor","log_type":"l","shared_key":"CANARYshared","workspace_id":"w"}},
 {"type":"azure_blob_storage","attributes":{"type":"azure_blob_storage","storage_account":"a","container_name":"c","blob_sas_token":"CANARYsas"}}
]`

const stream = `{"name":"canary","inputs":[{"type":"raw_logs","attributes":{"data_source":"http"}}],"transform":[],"outputs":` + outputs + `}`

const connector = `{"name":"canary","type":"http","attributes":{"addresses":[{"address":"192.0.2.1"}],"modules":{"origin_shield":{"enabled":true,
 "config":{"hmac":{"enabled":true,"config":{"attributes":{"access_key":"CANARYaccess","secret_key":"CANARYsecret","region":"r"}}}}}}}}`

// certificate is a real one; a part of its key is looked for like the canaries.
var certificate, keyPart = newCertificate()

func newCertificate() (recipe, part string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"canary.example.com"},
		NotBefore: time.Now(), NotAfter: time.Now().Add(24 * time.Hour),
	}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	text, err := json.Marshal(map[string]string{
		"name":        "canary",
		"certificate": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made})),
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
	})
	if err != nil {
		panic(err)
	}
	secret := base64.StdEncoding.EncodeToString(private)
	return string(text), secret[50:62] // within one line of the PEM, past what all keys begin with
}

// recipes are arguments for every tool that takes a secret; ids are added.
var recipes = map[string]string{
	"create_data_stream":         stream,
	"update_data_stream":         stream,
	"create_connector":           connector,
	"update_connector":           connector,
	"partial_update_connector":   connector,
	"create_certificate":         certificate,
	"update_certificate":         certificate,
	"partial_update_certificate": certificate,
	"create_certificate_signing_request": `{"name":"canary","private_key":"CANARYkey","common_name":"canary.example.com","country":"BR","state":"SP",
 "locality":"Sao Paulo","organization":"o","organization_unity":"u","email":"ana@example.com","alternative_names":["a.example.com"]}`,
	"request_certificate": `{"name":"canary","private_key":"CANARYkey","common_name":"other.example.com","challenge":"dns","authority":"lets_encrypt",
 "key_algorithm":"rsa_2048"}`,
}

// named is what other tools call the id of what a tool makes.
var named = map[string]string{"create_data_stream": "stream_id", "create_connector": "connector_id", "create_certificate": "certificate_id"}

// scene is a running Comporta and all that it said.
type scene struct {
	*everything
	tools map[string]*catalog.Tool
	ids   map[string]any // by argument: connector_id
	told  strings.Builder
	sent  int
}

// TestNoSecretIsTold is the canary test of contract §5 and §9: a secret in every
// secret field of every tool, right and misspelt, and then a look at all that was
// answered, logged, counted, recorded and stored.
func TestNoSecretIsTold(t *testing.T) {
	logs := captureOutput(t)
	cfg := fresh(t)
	s := &scene{tools: map[string]*catalog.Tool{}, ids: map[string]any{}}
	s.everything = launch(t, cfg, func(w *Wiring) {
		unhurried(w)
		for name, h := range w.Hosts {
			h.Telemetry.LogLevel = "debug"
			w.Hosts[name] = h
		}
		w.Worker.Telemetry.LogLevel, w.Auth.Telemetry.LogLevel = "debug", "debug"
	})
	fields := s.load()
	s.sendAll()
	shown := s.showOnce()
	s.misspell()
	s.readBack()
	for _, url := range s.ready.Metrics {
		s.told.WriteString(s.get(url))
	}
	s.end()
	s.told.WriteString(logs())
	s.told.WriteString(filesBut(t, cfg.Home, "platform", "master.key", readyFile))

	all := s.told.String()
	found := 0
	for _, secret := range append([]string{canary, keyPart}, shown...) {
		pieces := strings.Split(all, secret)
		found += len(pieces) - 1
		for i, before := range pieces[:min(len(pieces)-1, 5)] {
			t.Errorf("a secret is told: %q", before[max(len(before)-300, 0):]+"…"+pieces[i+1][:min(len(pieces[i+1]), 100)])
		}
	}
	t.Logf("%d secret fields in %d calls, %d found in %d KiB of answers, logs, metrics and files", fields, s.sent, found, len(all)>>10)
	for _, sign := range []string{"[redacted]", "comporta_audit_records_total", "create_data_stream", "level=DEBUG"} {
		if !strings.Contains(all, sign) {
			t.Errorf("%q was not seen anywhere, so that this test shows less than it says", sign)
		}
	}
}

// load reads the catalogues, and counts the secret fields; each argument among
// them must be in a recipe.
func (s *scene) load() (fields int) {
	s.t.Helper()
	for area, documents := range catalogs.Documents() {
		if area == "docs" {
			continue
		}
		loaded, err := catalog.Load(documents, catalog.Options{Area: area})
		if err != nil {
			s.t.Fatal(err)
		}
		for _, tool := range loaded.Tools() {
			s.tools[tool.Name] = tool
			fields += len(tool.Secrets)
			if len(answer.SecretTexts(tool, s.args(tool.Name))) < takes(tool) {
				s.t.Errorf("%s takes %d secrets that its recipe does not all have: %v", tool.Name, takes(tool), tool.Secrets)
			}
		}
	}
	return fields
}

// takes is how many secret fields a tool's arguments have.
func takes(t *catalog.Tool) (n int) {
	for _, path := range t.Secrets {
		root, _, _ := strings.Cut(strings.NewReplacer("[", ".", "]", "").Replace(path), ".")
		if t.Binding.Body != nil && slices.Contains(t.Binding.Body.Fields, root) {
			n++
		}
	}
	return n
}

func (s *scene) args(tool string) map[string]any {
	args := map[string]any{}
	if text, ok := recipes[tool]; ok {
		if err := json.Unmarshal([]byte(text), &args); err != nil {
			s.t.Fatalf("%s: %v", tool, err)
		}
	}
	return args
}

// send calls a tool and keeps what it answers; the text is of a good or bad answer.
func (s *scene) send(tool string, args map[string]any) (map[string]any, string) {
	s.t.Helper()
	return s.sendTo(s.tools[tool].Area, tool, args)
}

func (s *scene) sendTo(area, tool string, args map[string]any) (map[string]any, string) {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	text := s.post(s.ready.Areas[area], "application/json", bytes.NewReader(body))
	s.sent++
	s.told.WriteString(text)
	var message struct {
		Result struct {
			StructuredContent map[string]any `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(text), &message); err != nil {
		s.t.Fatalf("%s: %s", tool, text)
	}
	return message.Result.StructuredContent, text
}

// sendAll sends each recipe as a dry run, for real, again, and with a wrong value.
func (s *scene) sendAll() {
	s.t.Helper()
	names := slices.SortedFunc(maps.Keys(recipes), func(a, b string) int { // creations first: the others need their ids
		return strings.Compare(strings.TrimPrefix(a, "create"), strings.TrimPrefix(b, "create"))
	})
	slices.SortStableFunc(names, func(a, b string) int {
		return bool2int(!strings.HasPrefix(a, "create")) - bool2int(!strings.HasPrefix(b, "create"))
	})
	for _, name := range names {
		tool, args := s.tools[name], s.args(name)
		for _, p := range tool.Binding.Params {
			if id, known := s.ids[p.Arg]; known {
				args[p.Arg] = id
			}
		}
		with := func(more map[string]any) map[string]any {
			all := maps.Clone(args)
			maps.Copy(all, more)
			return all
		}
		keyed := map[string]any{}
		if tool.Creates || tool.Operation != nil {
			keyed["idempotency_key"] = "canary-" + name
		}
		s.send(name, with(map[string]any{"dry_run": true}))
		got, text := s.send(name, with(keyed))
		if got["error"] == true {
			s.t.Errorf("%s was refused, so that its secrets were not tried: %s", name, text)
			continue
		}
		s.send(name, with(keyed))
		s.send(name, with(map[string]any{"private_kye": canary, "active": "perhaps"}))
		if got["operacion_id"] != nil {
			got = s.followed(tool.Area, "member", got)
			text, _ := json.Marshal(got)
			s.told.Write(text)
			got, _ = got["resultado"].(map[string]any)
		}
		if data, ok := got["data"].(map[string]any); ok && named[name] != "" {
			s.ids[named[name]] = data["id"]
		}
	}
}

func bool2int(b bool) int {
	if b {
		return 1
	}
	return 0
}

// showOnce makes a credential, and gives its secrets, which the platform of the
// tests still knows; its person sees them once.
func (s *scene) showOnce() []string {
	s.t.Helper()
	args := map[string]any{"name": "canary", "capabilities": []any{"readFiles"}, "idempotency_key": "canary-once"}
	got, text := s.send("create_credential", args)
	data, _ := got["data"].(map[string]any)
	standIn, ok := data["secret_key"].(map[string]any)
	if !ok || standIn["secreto"] != "guardado" {
		s.t.Fatalf("create_credential answers %s", text)
	}
	again, _ := s.send("create_credential", args)
	if repeated, _ := again["data"].(map[string]any)["secret_key"].(map[string]any); repeated["ver_en"] != standIn["ver_en"] {
		s.t.Errorf("a repeat tells another address: %v", again)
	}
	address, _ := standIn["ver_en"].(string)
	form := func(person string) string { return s.visit(address, person) }
	s.told.WriteString(form("outsider"))
	page := form("member")
	var shown []string
	for _, piece := range strings.Split(page, "<pre>")[1:] {
		value, _, _ := strings.Cut(piece, "</pre>")
		shown = append(shown, value)
	}
	if len(shown) != 2 || slices.ContainsFunc(shown, func(v string) bool { return len(v) < 8 }) {
		s.t.Fatalf("the page shows %q:\n%s", shown, page)
	}
	s.told.WriteString(form("member"))
	return shown
}

// visit goes a person's way on the page of a secret: the sign-in, then the button.
func (s *scene) visit(address, person string) string {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: 40 * time.Second}
	read := func(response *http.Response, err error) string {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			s.t.Fatal(err)
		}
		return string(text)
	}
	// The last form of either page is the one to fill in.
	token := func(page string) string {
		_, rest, _ := strings.Cut(page[strings.LastIndex(page, "<form"):], `name="form" value="`)
		value, _, _ := strings.Cut(rest, `"`)
		return value
	}
	at, err := url.Parse(address)
	if err != nil {
		s.t.Fatal(err)
	}
	page := read(client.Get(address))
	page = read(client.PostForm(at.Scheme+"://"+at.Host+"/sign-in", url.Values{
		"form": {token(page)}, "next": {at.Path}, "token": {s.ready.Tokens[person]},
	}))
	return read(client.PostForm(address, url.Values{"form": {token(page)}}))
}

// misspell sends every tool an argument that it does not have.
func (s *scene) misspell() {
	s.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(s.tools)) {
		s.send(name, map[string]any{"secret_kye": canary, "deep": map[string]any{"private": []any{canary}}})
	}
	s.send("execute_query", map[string]any{"database_id": 1, "confirmado": true,
		"statements": []any{"CREATE USER a IDENTIFIED BY 'CANARYsql'", "SELECT 'https://u:CANARYurl@h/?sig=CANARYsig'"}})
}

// readBack asks everything that may show what was sent.
func (s *scene) readBack() {
	s.t.Helper()
	for _, name := range []string{"list_data_streams", "list_connectors", "list_certificates", "list_credentials"} {
		s.send(name, map[string]any{})
	}
	for name, arg := range map[string]string{"retrieve_connector": "connector_id", "retrieve_certificate": "certificate_id", "retrieve_data_stream": "stream_id"} {
		s.send(name, map[string]any{arg: s.ids[arg]})
	}
	s.sendTo("build", "listar_operaciones", nil)
	for cursor := any(nil); ; {
		args := map[string]any{"limit": 200, "tipo": "llamada"}
		if cursor != nil {
			args["cursor"] = cursor
		}
		page, text := s.sendTo("observe", "listar_mi_auditoria", args)
		if page["error"] == true {
			s.t.Fatal(text)
		}
		if cursor = page["cursor"]; cursor == nil {
			return
		}
	}
}

func (s *scene) post(at, kind string, body io.Reader) string {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, at, body)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Token "+s.ready.Tokens["member"])
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Accept", "application/json")
	return s.do(request)
}

func (s *scene) get(at string) string {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, at, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.do(request)
}

func (s *scene) do(request *http.Request) string {
	s.t.Helper()
	client := &http.Client{Timeout: 40 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// captureOutput takes what the process writes until the result is called.
func captureOutput(t *testing.T) func() string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	out, errs := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = f, f
	t.Cleanup(func() { os.Stdout, os.Stderr = out, errs; _ = f.Close() })
	return func() string {
		data, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
}

// filesBut reads every file below dir but those of the platform itself and such.
func filesBut(t *testing.T, dir string, but ...string) string {
	t.Helper()
	var all bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.Contains(but, entry.Name()) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&all, "\n%s\n", path)
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
