package host_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/mount"
	"github.com/comporta-mcp/comporta/pkg/platform"
)

// The public document of a payment API, from the test data of a Go module: nearly
// 500 operations, recursion, oneOf and anyOf everywhere, HTTP Basic.
const (
	documentModule = "github.com/pb33f/libopenapi@v0.42.5"
	documentSum    = "h1:KXQ9kb8tCR9W3HWksYZMi5rvcdi3DmCIJIuZkcePcJc="
	documentFile   = "test_specs/stripe.yaml"
)

// publicDocument gets the document from the module proxy. Where there is none, the
// test says so; CI must have one.
func publicDocument(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", documentModule)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	var module struct{ Dir, Sum, Error string }
	if jsonErr := json.Unmarshal(out, &module); err != nil || jsonErr != nil || module.Dir == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("the module proxy does not give %s: %v %s", documentModule, err, module.Error)
		}
		t.Skipf("no module proxy: the public document of %s cannot be got (%v %s)", documentModule, err, module.Error)
	}
	if module.Sum != documentSum {
		t.Fatalf("%s has the sum %s, want %s", documentModule, module.Sum, documentSum)
	}
	return filepath.Join(module.Dir, documentFile)
}

// mounted opens a door with an API mounted beside the harbour's own documents.
func mounted(t *testing.T, api mount.API, stub *upstream) *door {
	t.Helper()
	api.URL = stub.url
	return open(t, func(a *host.Area, cfg *host.Config, w *host.Wiring) {
		cfg.APIs = []mount.API{api}
		area, credentials, err := host.Mounted(*a, *cfg)
		if err != nil {
			t.Fatal(err)
		}
		*a = area
		client := platform.New(platform.Config{URL: "http://127.0.0.1:1/v4", Timeout: 5 * time.Second},
			platform.Options{Credentials: credentials, Metrics: prometheus.NewRegistry()})
		w.Platform, w.Writer = client, writerOf(client)
	})
}

func TestAPublicAPIIsServedByConfigurationAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("a large document takes seconds to read")
	}
	t.Setenv("PAY_SECRET", "sk_CANARYpay:")
	overlay := filepath.Join(t.TempDir(), "overlay.yaml")
	if err := os.WriteFile(overlay, []byte("operations:\n  PostRefunds:\n    operationId: pay_refund\n    x-mcp: {confirm: true, approval: human}\n  GetAccount:\n    x-mcp: {admin: true}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stub := newUpstream(t)
	d := mounted(t, mount.API{
		Name: "pay", Title: "Payments", Prefix: "pay_", File: publicDocument(t), Overlay: overlay,
		// A few of its parts are enough: these are some 150 operations.
		Only: []string{"* /v1/customers*", "* /v1/refunds*", "* /v1/account", "* /v1/products*", "* /v1/coupons*", "* /v1/disputes*", "* /v1/balance*",
			"* /v1/tax_rates*", "* /v1/events*", "* /v1/files*", "* /v1/topups*", "* /v1/payouts*", "* /v1/plans*", "* /v1/prices*", "* /v1/radar*",
			"* /v1/reporting*", "* /v1/reviews*", "* /v1/webhook_endpoints*", "* /v1/terminal*", "* /v1/billing*", "* /v1/apps*", "* /v1/climate*",
			"* /v1/entitlements*", "* /v1/promotion_codes*", "* /v1/shipping_rates*", "* /v1/tax_ids*"},
		Auth: "basic", Credential: "env:PAY_SECRET",
	}, stub)

	t.Run("its tools are listed, clean in the linter", func(t *testing.T) {
		// host.New refuses lists that any client would refuse, so that this door
		// opened says that they are clean.
		list := d.send(http.MethodPost, "/mcp/pay", listTools, asMember).json(t)["result"].(map[string]any)["tools"].([]any)
		if len(list) < 100 {
			t.Fatalf("%d tools, want more than 100", len(list))
		}
		t.Logf("%d tools of an API that is not the platform's", len(list))
	})
	t.Run("they are found and run through the small front", func(t *testing.T) {
		found := d.found("list customers", asMember)
		if len(found) == 0 || !strings.HasPrefix(found[0], "pay_GetCustomers") {
			t.Errorf("%v", found)
		}
		stub.says(200, `{"object":"list","has_more":false,"url":"/v1/customers","data":[{"id":"cus_1"}]}`)
		if got := d.run("pay_GetCustomers", `{"limit":3}`, asMember); len(got["data"].([]any)) != 1 {
			t.Errorf("%v", got)
		}
	})
	t.Run("the deployment's credential is sent, and nobody's token", func(t *testing.T) {
		stub.says(200, `{"id":"cus_1","object":"customer","description":"echo sk_CANARYpay"}`)
		d.ok("pay_GetCustomersCustomer", `{"customer":"cus_1"}`, asMember)
		d.ok("pay_PostCustomers", `{"name":"Ana","address":{"city":"Porto"},"tax_id_data":[{"type":"eu_vat","value":"PT1"}]}`, asMember)
		sent := stub.requests()
		last := sent[len(sent)-1]
		user, _, _ := last.BasicAuth()
		if user != "sk_CANARYpay" || last.Method != http.MethodPost || last.URL.Path != "/v4/v1/customers" {
			t.Errorf("%s %s as %q", last.Method, last.URL, user)
		}
		for _, r := range sent {
			if strings.Contains(r.Header.Get("Authorization"), "CANARYmember") {
				t.Error("the platform's token went to a foreign API")
			}
		}
		if body := stub.bodies[len(stub.bodies)-1]; !strings.Contains(body, "name=Ana") || !strings.Contains(body, "address%5Bcity%5D=Porto") || !strings.Contains(body, "tax_id_data%5B0%5D%5Btype%5D=eu_vat") {
			t.Errorf("the form is %s", body)
		}
	})
	t.Run("a dry run shows the request and no credential", func(t *testing.T) {
		got := d.ok("pay_PostCustomers", `{"name":"Ana","dry_run":true}`, asMember)
		text, err := json.Marshal(got)
		if err != nil || strings.Contains(string(text), "CANARY") || !strings.Contains(string(text), "[redacted]") {
			t.Errorf("%s", text)
		}
	})
	t.Run("guards follow from the method and the overlay", func(t *testing.T) {
		d.fails("conflicto", "pay_refund", `{"charge":"ch_1"}`, asMember)
		d.fails("conflicto", "pay_DeleteCustomersCustomer", `{"customer":"cus_1"}`, asMember)
		d.fails("sin_permiso", "pay_DeleteCustomersCustomer", `{"customer":"cus_1","confirmado":true}`, asReader)
		d.fails("sin_permiso", "pay_GetAccount", `{}`, asMember)
		d.fails("parametro_invalido", "pay_PostCustomers", `{"nmae":"Ana"}`, asMember)
	})
}
