package host_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

func TestWhatIsNoMessageIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"no JSON":                             {`{`, 400, "-32700"},
		"nothing":                             {``, 400, "-32700"},
		"a text":                              {`"x"`, 400, "-32600"},
		"no version":                          {`{"id":1,"method":"ping"}`, 400, "-32600"},
		"no method":                           {`{"jsonrpc":"2.0","id":1}`, 400, "-32600"},
		"a null id":                           {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, "-32600"},
		"a fraction as id":                    {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, 400, "-32600"},
		"a number as id that may be rounded":  {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, 400, "-32600"}, // B57
		"a number as id without an end":       {`{"jsonrpc":"2.0","id":1` + strings.Repeat("0", 5000) + `,"method":"ping"}`, 400, "-32600"},
		"a text as id without an end":         {`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 2000) + `","method":"ping"}`, 400, "-32600"},
		"a batch":                             {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 400, "-32600"}, // B26
		"an empty batch":                      {` []`, 400, "-32600"},
		"an unknown method":                   {`{"jsonrpc":"2.0","id":1,"method":"nothing"}`, 200, "-32601"},
		"a call without params":               {`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, 200, "-32602"}, // B55
		"a call with null params":             {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`, 200, "-32602"},
		"arguments that are a list":           {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":[]}}`, 200, "-32602"},
		"a tool's name that is a number":      {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`, 200, "-32602"},
		"an unknown tool":                     {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}`, 200, "-32602"},
		"a cursor from elsewhere":             {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"abc"}}`, 200, "-32602"}, // B63
		"a cursor that is a number":           {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}`, 200, "-32602"},
		"a resource that does not exist":      {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"azion://none"}}`, 200, "-32602"},
		"a resource's address with a control": {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"azion://none\u0000"}}`, 200, "-32602"},
		"a resource without an address":       {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}`, 200, "-32602"},
		"a prompt that does not exist":        {`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}`, 200, "-32602"},
		"a version that is a number":          {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, 200, "-32602"},
		"a handshake without a version":       {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, 200, "-32602"},
		"a subscription that nobody gives":    {`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"azion://contexto-inicial"}}`, 200, "-32601"},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			got := d.send(http.MethodPost, "/mcp", c.body, asMember)
			failure, _ := got.json(t)["error"].(map[string]any)
			if got.status != c.status || failure == nil || fmt.Sprint(failure["code"]) != c.code {
				t.Fatalf("%d %s, want %d and %s", got.status, got.body, c.status, c.code)
			}
			for _, word := range []string{"mcp.", "json:", "jsonrpc2", "unmarshal", "*host"} {
				if strings.Contains(got.body, word) {
					t.Errorf("names what is inside: %s", got.body)
				}
			}
			if strings.Contains(name, "batch") && len(d.refused()) != 1 {
				t.Error("the refusal was not recorded")
			}
		})
	}
}

func TestABatchRunsNothing(t *testing.T) { // B26
	d := open(t)
	create := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_ship","arguments":{"name":"Boa"}}}`
	if got := d.send(http.MethodPost, "/mcp", "["+create+","+create+"]", asMember); got.status != 400 {
		t.Errorf("status %d", got.status)
	}
	if n := len(d.platform.requests()); n != 0 {
		t.Errorf("%d requests reached the platform", n)
	}
}

func TestMissingArgumentsAreNone(t *testing.T) { // B55
	d := open(t)
	for _, params := range []string{`{"name":"ping"}`, `{"name":"ping","arguments":null}`, `{"name":"ping","arguments":{}}`} {
		got := d.send(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`, asMember).json(t)
		if got["result"] == nil {
			t.Errorf("%s: %v", params, got)
		}
	}
	for _, method := range []string{"tools/list", "ping", "resources/list", "prompts/list", "resources/templates/list"} {
		for _, params := range []string{"", `,"params":null`, `,"params":{}`} {
			got := d.send(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`"`+params+`}`, asMember)
			if got.status != 200 || got.json(t)["result"] == nil {
				t.Errorf("%s%s: %d %s", method, params, got.status, got.body)
			}
		}
	}
}

func TestOnlyPOSTIsServed(t *testing.T) { // B21
	d := open(t)
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		got := d.send(method, "/mcp", "", asMember, "Accept: text/event-stream")
		if got.status != 405 || !strings.Contains(got.header.Get("Allow"), "POST") {
			t.Errorf("%s: %d, Allow %q", method, got.status, got.header.Get("Allow"))
		}
	}
}

func TestANotificationIsAcceptedWithoutABody(t *testing.T) { // B22, B38
	d := open(t)
	for _, method := range []string{"notifications/initialized", "notifications/whatever", "notifications/cancelled", "notifications/progress"} {
		for _, accept := range []string{"application/json, text/event-stream", "text/event-stream, application/json"} {
			for _, params := range []string{"", `,"params":{}`} {
				got := d.send(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","method":"`+method+`"`+params+`}`, asMember, "Accept: "+accept, "Mcp-Session-Id: old")
				if got.status != 202 || got.body != "" || got.header.Get("Content-Type") != "" {
					t.Errorf("%s: %d %q %q", method, got.status, got.header.Get("Content-Type"), got.body)
				}
			}
		}
	}
}

func TestAcceptIsReadAsClientsSendIt(t *testing.T) { // B23
	d := open(t)
	for name, c := range map[string]struct {
		accept string
		status int
		media  string
	}{
		"missing":                     {"", 200, "application/json"},
		"anything":                    {"*/*", 200, "application/json"},
		"JSON only":                   {"application/json", 200, "application/json"},
		"JSON of any kind":            {"application/*;q=0.8", 200, "application/json"},
		"a stream only":               {"text/event-stream", 200, "text/event-stream"},
		"both":                        {"application/json, text/event-stream", 200, "application/json"},
		"both the other way round":    {"text/event-stream;q=0.9, application/json", 200, "application/json"},
		"a stream but JSON is barred": {"text/event-stream, application/json;q=0", 200, "text/event-stream"},
		"everything but JSON":         {"*/*, application/json;q=0", 200, "text/event-stream"},
		"a picture":                   {"image/png", 406, "application/json"},
		"capitals and a charset":      {"Application/JSON; charset=utf-8", 200, "application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, body := range []string{listTools, `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`} {
				headers := []string{asMember}
				if c.accept != "" {
					headers = append(headers, "Accept: "+c.accept)
				}
				got := d.send(http.MethodPost, "/mcp", body, headers...)
				if got.status != c.status || !strings.HasPrefix(got.header.Get("Content-Type"), c.media) {
					t.Errorf("%d %s", got.status, got.header.Get("Content-Type"))
				}
			}
		})
	}
}

func TestTheProtocolVersionHeaderIsChecked(t *testing.T) { // B24
	d := open(t)
	for _, version := range []string{"1900-01-01", "not-a-version", "2099-01-01"} {
		got := d.send(http.MethodPost, "/mcp", listTools, asMember, "MCP-Protocol-Version: "+version)
		failure, _ := got.json(t)["error"].(map[string]any)
		if got.status != 400 || failure == nil || len(failure["data"].(map[string]any)["supported"].([]any)) != 5 {
			t.Errorf("%s: %d %s", version, got.status, got.body)
		}
	}
	for _, version := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		if got := d.send(http.MethodPost, "/mcp", listTools, asMember, "MCP-Protocol-Version: "+version); got.status != 200 {
			t.Errorf("%q: %d %s", version, got.status, got.body)
		}
	}
}

func TestTheHandshakeNegotiatesTheVersion(t *testing.T) { // B25
	d := open(t)
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "2099-01-01": "2025-11-25",
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + asked + `","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
		got := d.send(http.MethodPost, "/mcp", body, asMember, "Mcp-Session-Id: gone", "MCP-Protocol-Version: 2098-01-01").json(t)
		result, _ := got["result"].(map[string]any)
		if result == nil || result["protocolVersion"] != want {
			t.Errorf("%s: %v", asked, got)
			continue
		}
		want := map[string]any{"tools": map[string]any{}, "resources": map[string]any{}, "prompts": map[string]any{}}
		if diff := cmp.Diff(want, result["capabilities"]); diff != "" {
			t.Errorf("capabilities: %s", diff)
		}
		told, _ := result["instructions"].(string)
		if !strings.HasPrefix(told, "Call ver_contexto_inicial first.") || !strings.HasSuffix(told, catalog.Guide("azion")) {
			t.Errorf("instructions: %v", told)
		}
	}
}

func TestOldSessionsAndEventsMeanNothing(t *testing.T) { // B35, B37
	d := open(t)
	for _, method := range []string{"tools/list", "resources/list", "ping"} {
		got := d.send(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`, asMember,
			"Mcp-Session-Id: 00000000-dead-beef-0000-000000000000", "Last-Event-ID: 7")
		if got.status != 200 || got.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: %d %s", method, got.status, got.body)
		}
	}
}

// modern gives the headers and params of a 2026-07-28 request.
func modern(method, name, params string) (body string, headers []string) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	if params != "" {
		meta += "," + params
	}
	headers = []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
	if name != "" {
		headers = append(headers, "Mcp-Name: "+name)
	}
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + meta + `}}`, headers
}

func TestTheModernEraIsServed(t *testing.T) {
	d := open(t)
	for name, c := range map[string]struct {
		method, name, params string
		drop, put            string // header to leave out, to add
		status               int
		want                 string
	}{
		"tools/list":                   {method: "tools/list", status: 200, want: `"cacheScope":"private"`},
		"tools/list says its end":      {method: "tools/list", status: 200, want: `"resultType":"complete"`},
		"a call":                       {method: "tools/call", name: "ping", params: `"name":"ping","arguments":{}`, status: 200, want: `"resultType":"complete"`},
		"server/discover":              {method: "server/discover", status: 200, want: `"cacheScope":"private"`},
		"resources/read":               {method: "resources/read", name: "azion://contexto-inicial", params: `"uri":"azion://contexto-inicial"`, status: 200, want: `"cacheScope":"private"`},
		"another method in the header": {method: "tools/list", drop: "Mcp-Method", put: "Mcp-Method: ping", status: 400, want: "-32020"},
		"no method in the header":      {method: "tools/list", drop: "Mcp-Method", status: 400, want: "-32020"},
		"another tool in the header":   {method: "tools/call", name: "list_ships", params: `"name":"ping"`, status: 400, want: "-32020"},
		"an unknown tool":              {method: "tools/call", name: "none", params: `"name":"none"`, status: 400, want: "-32602"},
		"an unknown method":            {method: "nothing", status: 404, want: "-32601"},
		"a method that was removed":    {method: "ping", status: 404, want: "-32601"},
	} {
		t.Run(name, func(t *testing.T) {
			body, headers := modern(c.method, c.name, c.params)
			var kept []string
			for _, h := range headers {
				if c.drop == "" || !strings.HasPrefix(h, c.drop+":") {
					kept = append(kept, h)
				}
			}
			if c.put != "" {
				kept = append(kept, c.put)
			}
			got := d.send(http.MethodPost, "/mcp", body, append(kept, asMember)...)
			if got.status != c.status || !strings.Contains(got.body, c.want) {
				t.Errorf("%d %s, want %d and %s", got.status, got.body, c.status, c.want)
			}
		})
	}
	body, headers := modern("tools/list", "", "")
	body = strings.Replace(body, `"io.modelcontextprotocol/clientCapabilities":{},`, "", 1)
	if got := d.send(http.MethodPost, "/mcp", body, append(headers, asMember)...); got.status != 400 || !strings.Contains(got.body, "-32602") {
		t.Errorf("without capabilities: %d %s", got.status, got.body)
	}
}

// TestBothLanesGiveTheSame: what the door answers by itself is what go-sdk would
// send, for both eras, calls and lists, results and errors.
func TestBothLanesGiveTheSame(t *testing.T) {
	d := open(t)
	d.platform.says(200, `{"data":{"id":9007199254740993,"name":"Boa <&> \u2028","log":"ignore","key":"CANARYkey"}}`)
	for name, c := range map[string]struct{ method, name, params string }{
		"a list":            {"tools/list", "", ""},
		"a good call":       {"tools/call", "retrieve_ship", `"name":"retrieve_ship","arguments":{"ship_id":9007199254740993}`},
		"a wrong argument":  {"tools/call", "retrieve_ship", `"name":"retrieve_ship","arguments":{"ship":1}`},
		"an unknown tool":   {"tools/call", "none", `"name":"none"`},
		"a forbidden tool":  {"tools/call", "create_captain", `"name":"create_captain"`},
		"a cursor":          {"tools/list", "", `"cursor":"x"`},
		"a call of a guide": {"tools/call", "ver_contexto_inicial", `"name":"ver_contexto_inicial"`},
	} {
		for _, modernEra := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, modern %v", name, modernEra), func(t *testing.T) {
				body, headers := modern(c.method, c.name, c.params)
				if !modernEra {
					body, headers = `{"jsonrpc":"2.0","id":1,"method":"`+c.method+`","params":{`+c.params+`}}`, nil
				}
				headers = append(headers, asMember)
				direct := d.send(http.MethodPost, "/mcp", body, headers...)
				streamed := d.send(http.MethodPost, "/mcp", body, append(headers, "Accept: text/event-stream")...)
				data := streamed.body
				if _, after, ok := strings.Cut(data, "data: "); ok {
					data = after
				}
				if direct.status != streamed.status {
					t.Errorf("direct %d, streamed %d", direct.status, streamed.status)
				}
				if diff := cmp.Diff(decode(t, data), direct.json(t)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value map[string]any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("not JSON: %s", text)
	}
	return value
}

func TestGoSDKsOwnClientWorksInBothEras(t *testing.T) {
	d := open(t)
	d.platform.says(200, `{"data":{"id":12,"name":"Boa"}}`)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint:   d.url + "/mcp/ships/",
		HTTPClient: &http.Client{Transport: withHeader{"Authorization", "Token member"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || tools.NextCursor != "" {
		t.Fatal(tools, err)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "retrieve_ship", Arguments: map[string]any{"ship_id": 12}})
	if err != nil || result.IsError {
		t.Fatal(result, err)
	}
	read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "azion://contexto-inicial"})
	if err != nil || !strings.Contains(read.Contents[0].Text, `"persona"`) {
		t.Error(read, err)
	}
	schemas, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "azion://schemas/create_ship"})
	if err != nil || !strings.Contains(schemas.Contents[0].Text, `"inputSchema"`) {
		t.Error(schemas, err)
	}
	if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "azion://schemas/order_tug"}); err == nil {
		t.Error("a tool of another profile showed its schemas")
	}
	prompts, err := session.ListPrompts(t.Context(), nil)
	if err != nil || len(prompts.Prompts) != 0 {
		t.Error(prompts, err)
	}
}

type withHeader struct{ name, value string }

func (h withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(h.name, h.value)
	return http.DefaultTransport.RoundTrip(r)
}

func TestWhatOnlyLooksLikeACallCountsAsAnotherRequest(t *testing.T) {
	d := open(t)
	d.patience = 3
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"ping"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`,
	} {
		d.send(http.MethodPost, "/mcp", body, asMember)
	}
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"ping"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}`,
	} {
		if got := d.send(http.MethodPost, "/mcp", body, asMember); got.status != 429 || got.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d", body, got.status)
		}
	}
}

func TestABodyArrivingByteByByteIsReadWhole(t *testing.T) { // B60
	d := open(t)
	d.platform.says(200, `{"data":{"id":12,"name":"São João 文献 😀"}}`)
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := `{"jsonrpc":"2.0","id":"São João 文献 😀","method":"tools/call","params":{"name":"create_ship","arguments":{"name":"São João 文献 😀"}}}`
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Token member\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n", len(body))
	for i := range len(body) {
		if _, err := io.WriteString(conn, body[i:i+1]); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := io.ReadAll(conn)
	if err != nil || strings.Count(string(answer), "São João 文献 😀") < 3 {
		t.Errorf("%v %s", err, answer)
	}
	if got := d.platform.bodies[0]; got != `{"name":"São João 文献 😀"}` {
		t.Errorf("the platform got %s", got)
	}
}

func TestASubscriptionEndsAtOnce(t *testing.T) {
	d := open(t)
	body, headers := modern("subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`)
	if got := d.send(http.MethodPost, "/mcp", body, append(headers, asMember)...); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
}
