package host_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// holdDocument has what is stored under keys of its own, written in long work.
const holdDocument = `openapi: 3.0.3
info: {title: Hold, version: "1"}
paths:
  /hold:
    get:
      operationId: list_cargo
      summary: List cargo
      x-mcp: {effect: read, profiles: [ships]}
      parameters: [{name: prefix, in: query, schema: {type: string}}, {name: page, in: query, schema: {type: integer}}, {name: page_size, in: query, schema: {type: integer, maximum: 100}}]
      responses: {'200': {description: Keys, content: {application/json: {schema: {type: object, properties: {count: {type: integer}, results: {type: array, items: {type: object, properties: {key: {type: string}}}}}}}}}}
  /hold/{cargo_key}:
    parameters: [{name: cargo_key, in: path, required: true, schema: {type: string}}]
    get:
      operationId: read_cargo
      summary: Read cargo
      x-mcp: {effect: read, profiles: [ships]}
      responses: {'200': {description: Bytes, content: {application/octet-stream: {schema: {type: string, format: binary}}}}}
    post:
      operationId: store_cargo
      summary: Store cargo
      x-mcp: {effect: write, profiles: [ships], operation: {probe: read_cargo}, content_type: Cargo-Type, find: {list: list_cargo, by: {cargo_key: key}, filter: prefix}}
      parameters: [{name: Cargo-Type, in: header, schema: {type: string}}]
      requestBody: {required: true, content: {application/octet-stream: {schema: {type: string, format: binary}}}}
      responses: {'202': {description: Accepted, content: {application/json: {schema: {type: object}}}}}
`

func openHold(t *testing.T) *door {
	t.Helper()
	return open(t, func(area *host.Area, _ *host.Config, _ *host.Wiring) {
		area.Documents = fstest.MapFS{"hold.yaml": {Data: []byte(holdDocument)}}
		area.Profiles, area.Examples = []host.Profile{{Name: "ships", Title: "Ships", Summary: "Cargo."}}, nil
	})
}

// TestWhatCouldNeverBeSentIsRefusedAtTheCall and not by a worker, when nobody waits
// for the answer any more.
func TestWhatCouldNeverBeSentIsRefusedAtTheCall(t *testing.T) {
	d := openHold(t)
	for name, c := range map[string]struct{ arguments, field string }{
		"a key that climbs":                 {`{"cargo_key":"../other","body":"x"}`, "cargo_key"},
		"a key with a dot in the middle":    {`{"cargo_key":"a/./b","body":"x"}`, "cargo_key"},
		"a key with a line break":           {`{"cargo_key":"a\nb","body":"x"}`, "cargo_key"},
		"an empty key":                      {`{"cargo_key":"","body":"x"}`, "cargo_key"},
		"a type that would begin a header":  {`{"cargo_key":"a","body":"x","Cargo-Type":"text/plain\r\nX-Evil: 1"}`, "Cargo-Type"},
		"bytes that are not what they seem": {`{"cargo_key":"a","body":"%%","codificacion":"base64"}`, "body"},
	} {
		t.Run(name, func(t *testing.T) {
			failure := d.fails(problem.ParametroInvalido, "store_cargo", c.arguments, asMember)
			if fields := failure["detalle"].(map[string]any)["fields"].(map[string]any); fields[c.field] == nil {
				t.Errorf("%v", failure)
			}
		})
	}
	if got := d.ok("store_cargo", `{"cargo_key":"a/b.txt","body":"x","Cargo-Type":"text/plain"}`, asMember); got["operacion_id"] == nil {
		t.Errorf("%v", got)
	}
}

// TestTheOtherByteFormOfAKeyIsACandidate: both look the same to whoever asks.
func TestTheOtherByteFormOfAKeyIsACandidate(t *testing.T) {
	const composed, decomposed = "docs/Relat\u00f3rio.pdf", "docs/Relato\u0301rio.pdf"
	for stored, asked := range map[string]string{composed: decomposed, decomposed: composed} {
		d := openHold(t)
		d.platform.answer(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/hold") {
				w.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(w, `{"errors":[{"detail":"no such object"}]}`)
				return
			}
			if prefix := r.URL.Query().Get("prefix"); !strings.HasPrefix(stored, prefix) || len(prefix) < 5 {
				t.Errorf("the list is narrowed to %q", prefix)
			}
			_, _ = fmt.Fprintf(w, `{"count":2,"results":[{"key":"docs/Relatives.pdf"},{"key":%q}]}`, stored)
		})
		failure := d.fails(problem.NoEncontrado, "read_cargo", fmt.Sprintf(`{"cargo_key":%q}`, asked), asMember)
		candidates, _ := failure["detalle"].(map[string]any)["candidatos"].([]any)
		if len(candidates) == 0 || candidates[0].(map[string]any)["id"] != stored {
			t.Errorf("asked for %+q: %v", asked, failure)
		}
	}
}
