package platform

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

func TestBodies(t *testing.T) {
	fields := &catalog.Body{MediaType: "application/json", Fields: []string{"b", "a"}}
	for name, c := range map[string]struct {
		body *catalog.Body
		args map[string]any
		want string
		kind string // Content-Type
	}{
		"fields in the order of their names":    {fields, map[string]any{"b": true, "a": "x", "else": 1}, `{"a":"x","b":true}`, "application/json"},
		"no escaping for HTML":                  {fields, map[string]any{"a": "<b>&</b>"}, `{"a":"<b>&</b>"}`, "application/json"},
		"an explicit null is sent":              {fields, map[string]any{"a": nil}, `{"a":null}`, "application/json"},
		"no fields, no body":                    {fields, map[string]any{}, ``, ""},
		"a required body is at least an object": {&catalog.Body{MediaType: "application/json", Required: true, Fields: []string{"a"}}, map[string]any{}, `{}`, "application/json"},
		"a whole body may be an array":          {&catalog.Body{MediaType: "application/json", Whole: "body"}, map[string]any{"body": []any{"x", json.Number("1")}}, `["x",1]`, "application/json"},
		"bytes go as they are":                  {&catalog.Body{MediaType: "application/octet-stream", Whole: "body"}, map[string]any{"body": "é\n"}, "é\n", "application/octet-stream"},
		"a form":                                {&catalog.Body{MediaType: "application/x-www-form-urlencoded", Fields: []string{"b", "a", "c"}}, map[string]any{"b": true, "a": "é &", "c": []any{"x"}}, "a=%C3%A9%20%26&b=true&c=%5B%22x%22%5D", "application/x-www-form-urlencoded"},
		"a tool without a body sends none":      {nil, map[string]any{"a": "x"}, ``, ""},
	} {
		t.Run(name, func(t *testing.T) {
			stub := newStub(t, answerJSON(200, `{}`))
			client, _ := clientOf(t, stub.URL)
			tool := &catalog.Tool{Name: "w", Effect: catalog.Write, Binding: &catalog.Binding{Method: "POST", Path: "/w", Body: c.body}}
			if _, err := client.Do(t.Context(), Request{Tool: tool, Args: c.args}); err != nil {
				t.Fatal(err)
			}
			got := stub.requests()[0]
			if got.body != c.want || got.header.Get("Content-Type") != c.kind {
				t.Errorf("body %q of type %q", got.body, got.header.Get("Content-Type"))
			}
		})
	}
}

func TestPartsOfAFormArriveAndAreTheSameEachTime(t *testing.T) {
	body := &catalog.Body{MediaType: "multipart/form-data", Fields: []string{"file", "n", "none"}}
	args := map[string]any{"file": "--part\r\n\x00", "n": json.Number("1e2"), "none": nil}
	first, err := payloadOf(body, args)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := payloadOf(body, args)
	if !slices.Equal(first.bytes, second.bytes) || first.mediaType != second.mediaType {
		t.Error("the same arguments gave other bytes")
	}
	request, _ := http.NewRequest(http.MethodPost, "http://x", strings.NewReader(string(first.bytes)))
	request.Header.Set("Content-Type", first.mediaType)
	if err := request.ParseMultipartForm(1 << 20); err != nil {
		t.Fatal(err)
	}
	want := url.Values{"file": {"--part\r\n\x00"}, "n": {"100"}}
	if diff := cmp.Diff(want, url.Values(request.MultipartForm.Value)); diff != "" {
		t.Error(diff)
	}
}

func TestAMissingWholeBodyIsNamed(t *testing.T) {
	client, _ := clientOf(t, "http://127.0.0.1:1")
	tool := &catalog.Tool{Name: "w", Effect: catalog.Write, Binding: &catalog.Binding{Method: "POST", Path: "/w", Body: &catalog.Body{MediaType: "application/json", Whole: "body", Required: true}}}
	_, err := client.Do(t.Context(), Request{Tool: tool})
	if p := problem.As(err); p.Code != problem.ParametroInvalido || p.Detail["fields"].(map[string]string)["body"] == "" {
		t.Errorf("error %v", err)
	}
}
