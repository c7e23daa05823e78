package swarm

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/seal"
	"github.com/comporta-mcp/comporta/services/auth/devcert"
	"github.com/comporta-mcp/comporta/services/sandbox"
)

// swarm is every service as processes: five hosts (build twice), two auths,
// two workers, a NATS server and the sandbox platform.
type swarm struct {
	nats    *process
	sandbox *process
	auths   []*process
	workers []*process
	hosts   []*process
	urls    map[string][]string // area → base URLs of its replicas
	natsURL string
	platURL string // without the API's base path
	tokens  map[string]string
}

// options are what a test changes about its swarm.
type options struct {
	calls  int    // tools/call per link and second; 0: the default
	faults string // COMPORTA_FAULTS of workers and hosts
}

// newSwarm starts everything and waits until it is ready.
func newSwarm(t *testing.T, o options) *swarm {
	t.Helper()
	dir := t.TempDir()
	certs, err := devcert.Ensure(filepath.Join(dir, "certificates"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	master, err := seal.EnsureMasterFile(filepath.Join(dir, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	s := &swarm{urls: map[string][]string{}, tokens: sandbox.Tokens()}
	s.startNATS(t, dir)
	s.startSandbox(t, dir)
	for i := range 2 {
		s.startAuth(t, dir, i, certs, master)
	}
	asker := s.asker(certs)
	for i := range 2 {
		s.startWorker(t, dir, i, asker, o)
	}
	for _, area := range []string{"docs", "build", "build", "secure", "observe", "storage"} {
		s.startHost(t, dir, area, asker, o)
	}
	for _, group := range [][]*process{{s.sandbox}, s.auths, s.workers, s.hosts} {
		for _, p := range group {
			p.awaitReady(t)
		}
	}
	return s
}

func (s *swarm) startNATS(t *testing.T, dir string) {
	port, monitor := freePort(t), freePort(t)
	config := filepath.Join(dir, "nats.conf")
	text := fmt.Sprintf("listen: 127.0.0.1:%s\nhttp: 127.0.0.1:%s\njetstream { store_dir: %q, sync_interval: always }\n",
		port, monitor, filepath.Join(dir, "nats"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.natsURL = "nats://127.0.0.1:" + port
	s.nats = run(t, &process{
		name: "nats", path: binary("nats-server"), args: []string{"-c", config},
		ready: "http://127.0.0.1:" + monitor + "/healthz",
	})
	s.nats.awaitReady(t)
}

func (s *swarm) startSandbox(t *testing.T, dir string) {
	listen := "127.0.0.1:" + freePort(t)
	s.platURL = "http://" + listen
	s.sandbox = run(t, &process{
		name: "sandbox", path: binary("comporta-sandbox"), ready: s.platURL + "/healthz",
		env: []string{
			"COMPORTA_LISTEN=" + listen,
			"COMPORTA_DATA_DIR=" + filepath.Join(dir, "platform"),
			"COMPORTA_PENDING_FOR=200ms",
			"COMPORTA_IDEMPOTENCY_KEYS=false", // nothing may lean on the platform's own
		},
	})
}

func (s *swarm) startAuth(t *testing.T, dir string, i int, certs devcert.Files, master string) {
	grpc, admin := "127.0.0.1:"+freePort(t), "127.0.0.1:"+freePort(t)
	name := fmt.Sprintf("auth-%d", i)
	s.auths = append(s.auths, run(t, &process{
		name: name, path: binary("comporta-auth"), ready: "http://" + admin + "/readyz",
		env: []string{
			"COMPORTA_GRPC_LISTEN=" + grpc,
			"COMPORTA_HTTP_LISTEN=127.0.0.1:" + freePort(t),
			"COMPORTA_DATA_DIR=" + filepath.Join(dir, name),
			"COMPORTA_TLS_CA=" + certs.Auth.CA, "COMPORTA_TLS_CERT=" + certs.Auth.Cert, "COMPORTA_TLS_KEY=" + certs.Auth.Key,
			"COMPORTA_PLATFORM_URL=" + s.platURL + sandbox.BasePath,
			"COMPORTA_MASTER_KEY=" + master,
			"COMPORTA_NATS_URL=" + s.natsURL,
			"COMPORTA_TELEMETRY_ADMIN_LISTEN=" + admin,
			"ADDRESS=" + grpc, // for asker
		},
	}))
}

// asker is the environment of those who ask auth, NATS and the platform.
func (s *swarm) asker(certs devcert.Files) []string {
	var addresses []string
	for _, a := range s.auths {
		addresses = append(addresses, strings.TrimPrefix(a.env[len(a.env)-1], "ADDRESS="))
	}
	return []string{
		"COMPORTA_AUTH_ADDRESSES=" + strings.Join(addresses, ","),
		"COMPORTA_AUTH_TLS_CA=" + certs.Caller.CA, "COMPORTA_AUTH_TLS_CERT=" + certs.Caller.Cert, "COMPORTA_AUTH_TLS_KEY=" + certs.Caller.Key,
		"COMPORTA_NATS_URL=" + s.natsURL,
		"COMPORTA_PLATFORM_URL=" + s.platURL + sandbox.BasePath,
	}
}

func (s *swarm) startWorker(t *testing.T, dir string, i int, asker []string, o options) {
	admin := "127.0.0.1:" + freePort(t)
	name := fmt.Sprintf("worker-%d", i)
	env := append([]string{
		"COMPORTA_TELEMETRY_ADMIN_LISTEN=" + admin,
		"COMPORTA_DATA_DIR=" + filepath.Join(dir, name),
		"COMPORTA_SETTLE=2s", // the sandbox on this machine answers or dies within it
		"COMPORTA_WORK_ACK_WAIT=2s",
		"COMPORTA_WORK_RECONCILE=2s",
		"COMPORTA_WORK_LOST_AFTER=5s",
		"COMPORTA_WORK_MAX_CRASHES=1000", // so many crashes are the test's own doing
		"COMPORTA_FAULTS=" + o.faults,
	}, asker...)
	s.workers = append(s.workers, run(t, &process{
		name: name, path: binary("comporta-worker"), env: env, ready: "http://" + admin + "/readyz",
	}))
}

func (s *swarm) startHost(t *testing.T, dir, area string, asker []string, o options) {
	listen, admin := "127.0.0.1:"+freePort(t), "127.0.0.1:"+freePort(t)
	name := fmt.Sprintf("%s-%d", area, len(s.urls[area]))
	env := append([]string{
		"COMPORTA_LISTEN=" + listen,
		"COMPORTA_PUBLIC_URL=http://" + listen,
		"COMPORTA_AUTH_URL=http://" + listen,
		"COMPORTA_TELEMETRY_ADMIN_LISTEN=" + admin,
		"COMPORTA_DATA_DIR=" + filepath.Join(dir, name),
		"COMPORTA_SETTLE=2s",
		"COMPORTA_FAULTS=" + o.faults,
	}, asker...)
	if o.calls > 0 {
		env = append(env, fmt.Sprintf(`COMPORTA_LIMITS={"calls":{"count":%d}}`, o.calls))
	}
	s.urls[area] = append(s.urls[area], "http://"+listen)
	s.hosts = append(s.hosts, run(t, &process{
		name: name, path: binary(area + "-mcp"), env: env, ready: "http://" + admin + "/readyz",
	}))
}

// nextPort counts through ports below those that the system gives to outgoing
// connections (from 32768): none is given twice, or taken before its process
// listens or while it restarts.
var nextPort atomic.Int32

// freePort is a port that nobody listens on, and that no other call gives.
func freePort(t *testing.T) string {
	t.Helper()
	nextPort.CompareAndSwap(0, 25000+rand.Int32N(5000))
	for range 1000 {
		port := strconv.Itoa(int(nextPort.Add(1)))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no free port")
	return ""
}

// getJSON reads a control address of the sandbox.
func getJSON(t *testing.T, url string, into any) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
}
