package platform

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

func TestPathValuesAreOneSegmentOrRefused(t *testing.T) {
	stub := newStub(t, answerJSON(200, `{"data":{}}`))
	client, _ := clientOf(t, stub.URL)
	for value, want := range map[string]string{
		"42":                    "/v4/things/42",
		"1?x=1":                 "/v4/things/1%3Fx%3D1",
		"1#a":                   "/v4/things/1%23a",
		"a/b":                   "/v4/things/a%2Fb",
		"a b+c":                 "/v4/things/a%20b%2Bc",
		"%2e%2e":                "/v4/things/%252e%252e",
		"é":                     "/v4/things/%C3%A9",
		"a..b":                  "/v4/things/a..b",
		"...":                   "/v4/things/...",
		"//evil.example":        "/v4/things/%2F%2Fevil.example",
		"@evil.example":         "/v4/things/%40evil.example",
		";a=b":                  "/v4/things/%3Ba%3Db",
		"":                      "",
		".":                     "",
		"..":                    "",
		"../../personal_tokens": "",
		`..\..\personal_tokens`: "",
		"a/../../b":             "",
		"a\nb":                  "",
		"a\x00":                 "",
		"\xff":                  "",
	} {
		t.Run(value, func(t *testing.T) {
			before := len(stub.requests())
			_, err := client.Do(t.Context(), Request{Tool: retrieveThing, Args: map[string]any{"thing_id": value}})
			got := stub.requests()[before:]
			if want == "" {
				if p := problem.As(err); p == nil || p.Code != problem.ParametroInvalido || p.Detail["fields"].(map[string]string)["thing_id"] == "" {
					t.Errorf("error %v", err)
				}
				if len(got) != 0 {
					t.Errorf("it was sent to %s", got[0].target)
				}
				return
			}
			if err != nil || len(got) != 1 || got[0].target != want {
				t.Errorf("got %v, %v; want %s", got, err, want)
			}
		})
	}
}

func TestQueriesFollowStyleAndExplode(t *testing.T) {
	list := []any{"a,b", "c d", "e&f", "é"}
	object := map[string]any{"R": json.Number("100"), "G": json.Number("200"), "none": nil}
	for name, c := range map[string]struct {
		style   string
		explode bool
		value   any
		want    string // of the parameter "tags"; "!" refused
	}{
		"unset is absent":                      {"form", true, nil, ""},
		"an empty text is a value":             {"form", true, "", "tags="},
		"an empty array is unset":              {"form", false, []any{}, ""},
		"an empty object is unset":             {"form", false, map[string]any{}, ""},
		"a boolean":                            {"form", true, false, "tags=false"},
		"an array repeats the name":            {"form", true, list, "tags=a%2Cb&tags=c%20d&tags=e%26f&tags=%C3%A9"},
		"an array joined by commas":            {"form", false, list, "tags=a%2Cb,c%20d,e%26f,%C3%A9"},
		"an array joined by bars":              {"pipeDelimited", false, list, "tags=a%2Cb%7Cc%20d%7Ce%26f%7C%C3%A9"},
		"an array joined by spaces":            {"spaceDelimited", false, []any{"a", "b"}, "tags=a%20b"},
		"bars exploded repeat the name":        {"pipeDelimited", true, []any{"a", "b"}, "tags=a&tags=b"},
		"a value with the separator inside":    {"pipeDelimited", false, []any{"a|b"}, "!"},
		"a value with a space between spaces":  {"spaceDelimited", false, []any{"a b"}, "!"},
		"no brackets are added":                {"form", true, []any{"a"}, "tags=a"},
		"an object exploded":                   {"form", true, object, "G=200&R=100"},
		"an object joined":                     {"form", false, object, "tags=G,200,R,100"},
		"a deep object":                        {"deepObject", true, object, "tags%5BG%5D=200&tags%5BR%5D=100"},
		"a deeper object":                      {"deepObject", true, map[string]any{"a": map[string]any{"b": []any{"x", "y"}}}, "tags%5Ba%5D%5Bb%5D=x&tags%5Ba%5D%5Bb%5D=y"},
		"an array in a deep object":            {"deepObject", true, []any{"a", "b"}, "tags=a&tags=b"},
		"a value that looks encoded already":   {"form", true, "%20+%2B", "tags=%2520%2B%252B"},
		"a parameter whose content is JSON":    {"json", false, map[string]any{"b": json.Number("1"), "a": "<&"}, "tags=%7B%22a%22%3A%22%3C%26%22%2C%22b%22%3A1%7D"},
		"an array of objects has no such form": {"form", true, []any{map[string]any{}}, "!"},
	} {
		t.Run(name, func(t *testing.T) {
			stub := newStub(t, answerJSON(200, `{}`))
			client, _ := clientOf(t, stub.URL)
			tool := &catalog.Tool{Name: "q", Effect: catalog.Read, Binding: &catalog.Binding{Method: "GET", Path: "/q", Params: []catalog.Param{
				{Arg: "tags", Name: "tags", In: catalog.Query, Style: c.style, Explode: c.explode},
				{Arg: "other", Name: "other", In: catalog.Query, Style: "form", Explode: true},
			}}}
			_, err := client.Do(t.Context(), Request{Tool: tool, Args: map[string]any{"tags": c.value}})
			if c.want == "!" {
				if !problem.Is(err, problem.ParametroInvalido) || len(stub.requests()) != 0 {
					t.Errorf("error %v", err)
				}
				return
			}
			want := strings.TrimSuffix("/v4/q?"+c.want, "?")
			if got := stub.requests(); err != nil || len(got) != 1 || got[0].target != want {
				t.Errorf("got %v, %v; want %s", got, err, want)
			}
		})
	}
}

func TestNumbersAreExactInPathQueryAndBody(t *testing.T) {
	for number, inURL := range map[string]string{
		"9007199254740993": "9007199254740993", "9223372036854775807": "9223372036854775807",
		"123456789012345678901234567890": "123456789012345678901234567890",
		"1.0e3":                          "1000", "1E2": "100", "25e-1": "2.5", "1e-3": "0.001", "-12": "-12", "-0": "0", "2.0": "2", "0.50": "0.5", "1e21": "1" + strings.Repeat("0", 21),
	} {
		t.Run(number, func(t *testing.T) {
			stub := newStub(t, answerJSON(200, `{}`))
			client, _ := clientOf(t, stub.URL)
			tool := &catalog.Tool{Name: "n", Effect: catalog.Write, Binding: &catalog.Binding{Method: "PUT", Path: "/n/{a}",
				Params: []catalog.Param{{Arg: "a", Name: "a", In: catalog.Path}, {Arg: "b", Name: "b", In: catalog.Query}},
				Body:   &catalog.Body{MediaType: "application/json", Fields: []string{"c"}}}}
			n := json.Number(number)
			if _, err := client.Do(t.Context(), Request{Tool: tool, Args: map[string]any{"a": n, "b": n, "c": n}}); err != nil {
				t.Fatal(err)
			}
			got := stub.requests()[0]
			if want := "/v4/n/" + inURL + "?b=" + inURL; got.target != want {
				t.Errorf("target %s, want %s", got.target, want)
			}
			if want := `{"c":` + number + `}`; got.body != want {
				t.Errorf("body %s, want %s", got.body, want)
			}
		})
	}
	for _, number := range []string{"1e999999999", "1e", "abc", "", "1.2.3", "0x10", "--1", "+1"} {
		if got, err := plain(number); err == nil {
			t.Errorf("%q became %q", number, got)
		}
	}
	if _, err := scalar(float64(1 << 53)); err == nil {
		t.Error("a float that may be rounded was taken")
	}
}

func TestHeadersAndThePreviewOfThem(t *testing.T) {
	stub := newStub(t, answerJSON(201, `{}`))
	client, _ := clientOf(t, stub.URL, func(c *Config, _ *Options) {
		c.IdempotencyHeader, c.UserAgent = "Idempotency-Key", "comporta/1.2"
	})
	tool := &catalog.Tool{Name: "w", Effect: catalog.Write, Binding: &catalog.Binding{Method: "POST", Path: "/w/{id}",
		Params: []catalog.Param{{Arg: "id", Name: "id", In: catalog.Path}, {Arg: "kind", Name: "Storage-Content-Type", In: catalog.Header}, {Arg: "authorization", Name: "authorization", In: catalog.Header}},
		Body:   &catalog.Body{MediaType: "application/json", Fields: []string{"a"}}}}
	request := Request{Tool: tool, Authorization: "Token azion1", Key: "k 1", Args: map[string]any{"id": "x/y", "kind": "text/css", "a": "1", "authorization": "Token other"}}

	preview, err := client.Preview(request)
	if err != nil {
		t.Fatal(err)
	}
	want := &Preview{Method: "POST", URL: stub.URL + "/v4/w/x%2Fy", Body: map[string]any{"a": "1"}, Headers: map[string]string{
		"Authorization": "Token azion1", "User-Agent": "comporta/1.2", "Accept": "application/json", "Content-Type": "application/json",
		"Idempotency-Key": "k%201", "Storage-Content-Type": "text/css",
	}}
	if diff := cmp.Diff(want, preview); diff != "" {
		t.Error(diff)
	}
	if len(stub.requests()) != 0 {
		t.Fatal("the preview was sent")
	}

	parent := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})
	if _, err := client.Do(trace.ContextWithSpanContext(t.Context(), parent), request); err != nil {
		t.Fatal(err)
	}
	got := stub.requests()[0]
	for name, value := range want.Headers {
		if got.header.Get(name) != value {
			t.Errorf("%s: %q, want %q", name, got.header.Get(name), value)
		}
	}
	if !strings.Contains(got.header.Get("Traceparent"), parent.TraceID().String()) {
		t.Errorf("traceparent %q", got.header.Get("Traceparent"))
	}
	if got.target != "/v4/w/x%2Fy" {
		t.Errorf("target %s", got.target)
	}
}

func TestAHeaderArgumentCannotAddHeaders(t *testing.T) {
	client, _ := clientOf(t, "http://127.0.0.1:1")
	tool := &catalog.Tool{Name: "w", Effect: catalog.Read, Binding: &catalog.Binding{Method: "GET", Path: "/w", Params: []catalog.Param{{Arg: "kind", Name: "X-Kind", In: catalog.Header}}}}
	if _, err := client.Do(t.Context(), Request{Tool: tool, Args: map[string]any{"kind": "a\r\nX-Admin: 1"}}); !problem.Is(err, problem.ParametroInvalido) {
		t.Errorf("error %v", err)
	}
}

func TestACredentialInTheQueryAndAnotherBase(t *testing.T) {
	stub := newStub(t, answerJSON(200, `{}`))
	client, _ := clientOf(t, "http://127.0.0.1:1")
	tool := &catalog.Tool{Name: "g", Effect: catalog.Read, Binding: &catalog.Binding{Method: "GET", Path: "/g", Base: stub.URL + "/other/", Auth: catalog.Auth{In: catalog.Query, Name: "token"}}}
	if _, err := client.Do(t.Context(), Request{Tool: tool, Authorization: "a&b"}); err != nil {
		t.Fatal(err)
	}
	got := stub.requests()[0]
	if got.target != "/other/g?token=a%26b" || got.header.Get("Authorization") != "" {
		t.Errorf("target %s, Authorization %q", got.target, got.header.Get("Authorization"))
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := newStub(t, answerJSON(200, `{}`))
	stub := newStub(t, answer(307, "text/plain", "", "Location", elsewhere.URL))
	client, _ := clientOf(t, stub.URL)
	for _, request := range []Request{withID(retrieveThing, "1"), creation("x")} {
		if _, err := client.Do(t.Context(), request); !problem.Is(err, problem.Interno) {
			t.Errorf("error %v", err)
		}
	}
	if len(elsewhere.requests()) != 0 {
		t.Error("the credential went elsewhere")
	}
}

func TestConfigTellsItsFaults(t *testing.T) {
	for text, good := range map[string]bool{
		"https://api.azion.com/v4": true, "http://127.0.0.1:8110/v4/": true,
		"": false, "api.azion.com": false, "ftp://x": false, "https://u:p@x": false, "https://x?a=b": false, "https://x#a": false, ":": false,
	} {
		if err := (Config{URL: text}).Validate(); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := (Config{URL: "https://x", IdempotencyHeader: "a b", Timeout: -1}).Validate(); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("not all faults: %v", err)
	}
}

// Whatever the arguments hold, the request stays on the tool's endpoint, and the
// values come out as they went in.
