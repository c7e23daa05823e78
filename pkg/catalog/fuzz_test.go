package catalog_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"testing/fstest"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// FuzzLoad: no document may panic the loader or hang it, and what it accepts
// must pass the lint's hard rules.
func FuzzLoad(f *testing.F) {
	for _, file := range []string{"museum.yaml", "shapes.yaml"} {
		data, err := os.ReadFile("testdata/museum/" + file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(document(zones, "")))
	f.Add([]byte(document(operation("{effect: write, find: {list: a, by: b}}"), "")))
	for _, schemas := range recursions() {
		f.Add([]byte(document(operation("{effect: write}"), schemas)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 20_000 {
			t.Skip("larger documents only make the fuzzer slower")
		}
		c, err := catalog.Load(fstest.MapFS{"doc.yaml": {Data: data}}, catalog.Options{})
		if err != nil {
			return
		}
		for _, tool := range append(c.Tools(), c.Never()...) {
			if !json.Valid(tool.Input.Listed) || !json.Valid(tool.Input.Full) {
				t.Fatalf("%s: %s", tool.Name, tool.Input.Listed)
			}
			tool.Check(map[string]any{"a": nil, "body": map[string]any{}})
		}
	})
}

// FuzzCheck: no arguments may panic the check, and what it calls clean must be
// clean when checked again.
func FuzzCheck(f *testing.F) {
	c := museum(f, catalog.Options{})
	for _, args := range []string{
		`{}`, `null`, `[]`, `{"hall_id":1e999,"name":{"a":[]},"parts":[{}]}`,
		`{"hall_id":"12","name":"x","frame":{"wood":"oak"},"parts":[{"name":"y","frame":{"metal":"m","width":2.50}}],"label":null}`,
		`{"hall_id":9223372036854775808,"frame":[1,2,{"wood":1}]}`,
	} {
		f.Add([]byte(args))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		var args map[string]any
		if dec.Decode(&args) != nil {
			return
		}
		for _, name := range []string{"create_exhibit", "list_exhibits", "read_ticket"} {
			tool, _ := c.Tool(name)
			own, _, _ := catalog.SplitCommon(tool, args)
			clean, faults := tool.Check(own)
			if len(faults) > 0 {
				continue
			}
			again, faults := tool.Check(clean)
			first, _ := json.Marshal(clean)
			second, _ := json.Marshal(again)
			if len(faults) > 0 || !bytes.Equal(first, second) {
				t.Fatalf("%s became %s, %v", first, second, faults)
			}
		}
	})
}
