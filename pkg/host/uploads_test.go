package host_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
)

const cargoDocument = `openapi: 3.0.3
info: {title: Cargo, version: "1"}
paths:
  /cargo/{name}:
    put:
      operationId: put_cargo
      summary: Store cargo
      x-mcp: {effect: write, profiles: [ships]}
      parameters: [{name: name, in: path, required: true, schema: {type: string}}]
      requestBody:
        required: true
        content: {application/octet-stream: {schema: {type: string, format: binary}}}
      responses: {'200': {description: Stored, content: {application/json: {schema: {type: object}}}}}
  /labels/{name}:
    put:
      operationId: put_label
      summary: Write a label
      x-mcp: {effect: write, profiles: [ships]}
      parameters: [{name: name, in: path, required: true, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {text: {type: string}}}}}}
      responses: {'200': {description: Written, content: {application/json: {schema: {type: object}}}}}
`

func TestOnlyACallThatSendsBytesMayBeLargerThanOthers(t *testing.T) {
	d := open(t, func(area *host.Area, _ *host.Config, _ *host.Wiring) {
		area.Documents = fstest.MapFS{"cargo.yaml": {Data: []byte(cargoDocument)}}
		area.Profiles, area.Examples = []host.Profile{{Name: "ships", Title: "Ships", Summary: "Cargo."}}, nil
	})
	d.platform.says(200, `{}`)
	full := base64.StdEncoding.EncodeToString(make([]byte, catalog.MaxUpload))
	call := func(tool, arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	}
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"an upload of 4 MiB":          {call("put_cargo", `{"name":"a","codificacion":"base64","body":"`+full+`"}`), 200},
		"4 MiB that JSON writes long": {call("put_cargo", `{"name":"a","body":"`+strings.Repeat(`\u0001`, catalog.MaxUpload)+`"}`), 200},
		"4 MiB of accents as ASCII":   {call("put_cargo", `{"name":"a","body":"`+strings.Repeat(`\u00e9`, catalog.MaxUpload/2)+`"}`), 200},
		"the same by another tool":    {call("put_label", `{"name":"a","text":"`+full+`"}`), 413},
		"the same by no tool at all":  {call("no_tool", `{"name":"a","text":"`+full+`"}`), 413},
		"another request":             {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"` + full + `"}}`, 413},
		"an upload in spite of this":  {call("put_cargo", `{"name":"a","body":"`+strings.Repeat("x", 25<<20)+`"}`), 413},
		"a larger upload is named so": {call("put_cargo", `{"name":"a","body":"`+strings.Repeat("x", catalog.MaxUpload+1)+`"}`), 200},
	} {
		t.Run(name, func(t *testing.T) {
			got := d.send(http.MethodPost, "/mcp", c.body, asMember)
			if got.status != c.status {
				t.Fatalf("%d %.300s", got.status, got.body)
			}
			if named := strings.Contains(got.body, "parametro_invalido"); named != strings.HasPrefix(name, "a larger") {
				t.Errorf("%.300s", got.body)
			}
		})
	}
}
