package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

const laboratory = `  /samples/{sample_key}:
    parameters: [{name: sample_key, in: path, required: true, schema: {type: string}}]
    get:
      operationId: read_sample
      description: d
      x-mcp: {effect: read}
      responses: {'200': {description: ok, content: {image/png: {schema: {type: string, format: binary}}}}}
    post:
      operationId: store_sample
      description: d
      x-mcp: {effect: write, find: {list: list_samples, by: {sample_key: key}, filter: prefix}, content_type: Sample-Type}
      parameters: [{name: Sample-Type, in: header, schema: {type: string}}]
      requestBody: {required: true, content: {image/png: {schema: {type: string, format: binary}}}}
      responses: {'201': {description: ok}}
  /samples:
    get:
      operationId: list_samples
      description: d
      x-mcp: {effect: read}
      parameters:
        - {name: prefix, in: query, schema: {type: string}}
        - {name: cursor, in: query, schema: {type: string}}
        - {name: limit, in: query, schema: {type: integer}}
      responses: {'200': {description: ok, content: {application/json: {schema: {type: object, properties: {
        cursor: {type: string}, results: {type: array, items: {type: object, properties: {key: {type: string}}}}}}}}}}
  /tests:
    post:
      operationId: run_tests
      description: d
      x-mcp: {effect: destructive, command: true, confirm: {unless: sql-read, arg: statements}}
      requestBody: {content: {application/json: {schema: {type: object, properties: {statements: {type: array, items: {type: string}}}}}}}
      responses: {'200': {description: ok}}
`

func TestBytesComeWithTheirOwnArguments(t *testing.T) {
	c := load(t, laboratory, "")
	store, read := tool(t, c, "store_sample"), tool(t, c, "read_sample")
	if body := store.Binding.Body; !body.Bytes || body.Whole != "body" || body.TypeArg != "Sample-Type" {
		t.Errorf("body %+v", body)
	}
	if f := store.Find; f == nil || f.By[0] != (catalog.Match{Arg: "sample_key", Field: "key"}) || f.Filter != "prefix" {
		t.Errorf("find %+v", f)
	}
	if !read.Binding.Content || tool(t, c, "list_samples").Binding.Content {
		t.Error("an answer of bytes is known by its type")
	}
	if list := tool(t, c, "list_samples").List; list.TokenArg != "cursor" {
		t.Errorf("list %+v", list)
	}
	for name, c := range map[string]struct {
		tool  *catalog.Tool
		args  map[string]any
		fault string
	}{
		"a range":                   {read, map[string]any{"rango": "0-99"}, ""},
		"an open range":             {read, map[string]any{"rango": "100-"}, ""},
		"a range of no form":        {read, map[string]any{"rango": "bytes=0-9"}, "rango"},
		"bytes in base64":           {store, map[string]any{"body": "aGk=", "codificacion": "base64"}, ""},
		"what is no base64":         {store, map[string]any{"body": "hi", "codificacion": "base64"}, "body"},
		"a text without a word":     {store, map[string]any{"body": "hi"}, ""},
		"an empty content":          {store, map[string]any{"body": ""}, ""},
		"a way to write nobody has": {store, map[string]any{"body": "hi", "codificacion": "hex"}, "codificacion"},
	} {
		c.args["sample_key"] = "a"
		_, faults := c.tool.Check(c.args)
		if c.fault == "" && len(faults) > 0 || c.fault != "" && (len(faults) != 1 || faults[0].Path != c.fault) {
			t.Errorf("%s: faults %v", name, faults)
		}
	}
}

func TestACommandHasPatienceAndOnlyItsReadsAreHarmless(t *testing.T) {
	run := tool(t, load(t, laboratory, ""), "run_tests")
	for name, c := range map[string]struct {
		args     map[string]any
		harmless bool
		patience time.Duration
	}{
		"a read":                {map[string]any{"statements": []any{"SELECT 1"}}, true, 30 * time.Second},
		"a read and a write":    {map[string]any{"statements": []any{"SELECT 1", "DROP TABLE t"}}, false, 30 * time.Second},
		"nothing at all":        {map[string]any{}, false, 30 * time.Second},
		"no statement":          {map[string]any{"statements": []any{}}, false, 30 * time.Second},
		"something else inside": {map[string]any{"statements": []any{"SELECT 1", json.Number("5")}}, false, 30 * time.Second},
		"a patience of its own": {map[string]any{"espera": json.Number("300")}, false, 300 * time.Second},
	} {
		if got := run.Harmless(c.args); got != c.harmless || run.Patience(c.args) != c.patience {
			t.Errorf("%s: harmless %t, patience %s", name, got, run.Patience(c.args))
		}
	}
	for _, seconds := range []string{"9", "301", "-1", "1e30"} {
		if _, faults := run.Check(map[string]any{"espera": json.Number(seconds)}); len(faults) != 1 || faults[0].Path != "espera" {
			t.Errorf("espera %s: %v", seconds, faults)
		}
	}
	if tool(t, load(t, laboratory, ""), "store_sample").Patience(nil) != 0 {
		t.Error("only commands have patience")
	}
	if listed := string(run.Input.Listed); !strings.Contains(listed, `"confirmado"`) || !strings.Contains(listed, `"espera"`) {
		t.Errorf("listed: %s", listed)
	}
}

func TestAnOperatorsConfirmationHasNoException(t *testing.T) {
	fsys := fstest.MapFS{"doc.yaml": {Data: []byte(document(laboratory, ""))}}
	c, err := catalog.Load(fsys, catalog.Options{Policy: []catalog.PolicyRow{{Tool: "run_tests", Confirm: catalog.ConfirmTrue}}})
	if err != nil {
		t.Fatal(err)
	}
	if run := tool(t, c, "run_tests"); run.Unless != nil || run.Confirm != catalog.ConfirmTrue {
		t.Errorf("%+v", run)
	}
}

func TestTheEndOfAnOperationIsReadInItsField(t *testing.T) {
	until := &catalog.Until{Field: "data.status", OK: []string{"active"}, Failed: []string{"failed"}}
	for word, want := range map[string]catalog.State{"active": catalog.Done, "failed": catalog.Failed, "pending": catalog.Working} {
		if got, told := until.Judge(map[string]any{"data": map[string]any{"status": word}}); got != want || told != word {
			t.Errorf("%s: %v, %s", word, got, told)
		}
	}
	for _, answer := range []map[string]any{nil, {}, {"data": "text"}, {"data": map[string]any{"status": nil}}} {
		if got, _ := until.Judge(answer); got != catalog.Working {
			t.Errorf("%v: %v", answer, got)
		}
	}
}
