package platform

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

func TestGoodAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		tool    *Request
		handle  http.HandlerFunc
		value   map[string]any
		pending bool
	}{
		"an object":               {handle: answerJSON(200, `{"data":{"n":1.50}}`), value: map[string]any{"data": map[string]any{"n": json.Number("1.50")}}},
		"an array under data":     {handle: answerJSON(200, `[1]`), value: map[string]any{"data": []any{json.Number("1")}}},
		"a scalar under data":     {handle: answerJSON(200, `"x"`), value: map[string]any{"data": "x"}},
		"nothing at all":          {handle: answer(204, "", ""), value: map[string]any{}},
		"accepted":                {handle: answerJSON(202, `{"state":"pending"}`), value: map[string]any{"state": "pending"}, pending: true},
		"pending with a 200":      {handle: answerJSON(200, `{"state":"pending","data":{}}`), value: map[string]any{"state": "pending", "data": map[string]any{}}, pending: true},
		"JSON under another name": {handle: answer(200, "text/plain", `{"a":1}`), value: map[string]any{"a": json.Number("1")}},
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := clientOf(t, newStub(t, c.handle).URL)
			got, err := client.Do(t.Context(), withID(retrieveThing, "1"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.value, got.Value); diff != "" || got.Pending != c.pending {
				t.Error(diff, got.Pending)
			}
		})
	}
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		value  map[string]any
	}{
		"text is text":      {answer(200, "text/css", "a{}\n"), contentValue("a{}\n", "texto", "text/css", 4)},
		"JSON is a text":    {answer(200, "application/json", `{"a": 1.0}`), contentValue(`{"a": 1.0}`, "texto", "application/json", 10)},
		"a page is content": {answer(200, "text/html", "<html>é"), contentValue("<html>é", "texto", "text/html", 8)},
		"bytes are base64":  {answer(200, "image/png", "\x89PNG\x00"), contentValue("iVBORwA=", "base64", "image/png", 5)},
		"an empty object":   {answer(200, "text/plain", ""), contentValue("", "texto", "text/plain", 0)},
	} {
		t.Run("of a download: "+name, func(t *testing.T) {
			stub := newStub(t, c.handle)
			client, _ := clientOf(t, stub.URL)
			got, err := client.Do(t.Context(), withID(downloadThing, "1"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.value, got.Value); diff != "" {
				t.Error(diff)
			}
			if accept := stub.requests()[0].header.Get("Accept"); accept != "application/octet-stream, application/json;q=0.5" {
				t.Error(accept)
			}
		})
	}
}

func contentValue(data, encoding, mediaType string, size int) map[string]any {
	value := map[string]any{"data": data, "codificacion": encoding, "media_type": mediaType, "tamano": int64(size)}
	if size > 0 {
		value["rango"] = fmt.Sprintf("0-%d", size-1)
	}
	return value
}

func TestAnAnswerBeyondTheLimitIsRefused(t *testing.T) {
	stub := newStub(t, answerJSON(200, `{"data":"`+strings.Repeat("x", maxBody)+`"}`))
	client, _ := clientOf(t, stub.URL)
	if _, err := client.Do(t.Context(), withID(retrieveThing, "1")); problem.As(err).Retryable || len(stub.requests()) != 1 {
		t.Errorf("%v, %d requests", err, len(stub.requests()))
	}
	if _, err := client.Do(t.Context(), creation("x")); !IsUnknown(err) {
		t.Errorf("of a write: %v", err)
	}
}
