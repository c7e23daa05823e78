package build_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/services/build"
)

// signed is a connector that signs its requests; both keys hold the word hush.
const signed = `{"id":7,"name":"origin","type":"http","attributes":{"addresses":[{"address":"origin.example.com"}],
 "modules":{"origin_shield":{"enabled":true,"config":{"hmac":{"enabled":true,"config":{
  "attributes":{"region":"us-east-1","access_key":"hush","secret_key":"hush"}}}}}}}}`

// loaded is read once for all tests: it does not change.
var loaded = sync.OnceValues(func() (*catalog.Catalog, error) {
	return catalog.Load(build.Area.Documents, catalog.Options{Area: build.Area.Name})
})

func tool(t *testing.T, name string) *catalog.Tool {
	t.Helper()
	tools, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	found, ok := tools.Tool(name)
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	return found
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value map[string]any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestKeysOfAConnectorAreMaskedInAndOut(t *testing.T) {
	for name, value := range map[string]string{
		"list_connectors":          `{"count":1,"results":[` + signed + `]}`,
		"retrieve_connector":       `{"data":` + signed + `}`,
		"create_connector":         `{"data":` + signed + `}`,
		"update_connector":         `{"data":` + signed + `}`,
		"partial_update_connector": `{"data":` + signed + `}`,
	} {
		unheard(t, name+"'s answer", answer.Shape(tool(t, name), decode(t, value), answer.Page{}))
	}
	args := decode(t, signed)
	delete(args, "id")
	for _, name := range []string{"create_connector", "update_connector", "partial_update_connector"} {
		unheard(t, name+"'s arguments", answer.Mask(tool(t, name).Secrets, args))
	}
}

// unheard wants the keys masked, and nothing else.
func unheard(t *testing.T, what string, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "hush") {
		t.Errorf("%s tells a key: %s", what, text)
	}
	if !strings.Contains(string(text), "us-east-1") {
		t.Errorf("%s hides more than the keys: %s", what, text)
	}
}

func TestAConnectorTakesTheAttributesOfItsType(t *testing.T) {
	for name, c := range map[string]struct {
		args  string
		fault string // where; "" is a good one
	}{
		"servers for http":            {`{"name":"a","type":"http","attributes":{"addresses":[{"address":"192.0.2.1","https_port":8443}]}}`, ""},
		"a bucket for storage":        {`{"name":"a","type":"storage","attributes":{"bucket":"site-assets","prefix":"img/"}}`, ""},
		"a bucket for live_ingest":    {`{"name":"a","type":"live_ingest","attributes":{"bucket":"site-assets"}}`, ""},
		"a bucket for http":           {`{"name":"a","type":"http","attributes":{"bucket":"site-assets"}}`, "attributes.addresses"},
		"servers for storage":         {`{"name":"a","type":"storage","attributes":{"addresses":[]}}`, "attributes.bucket"},
		"a type that there is not":    {`{"name":"a","type":"ftp","attributes":{"bucket":"site-assets"}}`, "type"},
		"a port that there is not":    {`{"name":"a","type":"http","attributes":{"addresses":[{"address":"192.0.2.1","http_port":65536}]}}`, "attributes.addresses[0].http_port"},
		"a field that there is not":   {`{"name":"a","type":"http","attributes":{"addresses":[],"weight":1}}`, "attributes.weight"},
		"no attributes, which it has": {`{"name":"a","type":"http"}`, "attributes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := tool(t, "create_connector").Check(decode(t, c.args))
			var places []string
			for _, fault := range faults {
				places = append(places, fault.Path)
			}
			if good := c.fault == ""; good && places != nil || !good && !slices.Contains(places, c.fault) {
				t.Errorf("faults at %q, want %q among them", places, c.fault)
			}
		})
	}
}
