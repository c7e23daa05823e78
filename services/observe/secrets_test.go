package observe_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/services/observe"
)

// outputs is one endpoint of each kind that has credentials; each of them holds
// the word hush.
const outputs = `[
 {"type":"standard","attributes":{"type":"standard","url":"https://logs.example.com/","headers":{"Authorization":"Bearer hush","X-Team":"hush"}}},
 {"type":"s3","attributes":{"type":"s3","access_key":"hush","secret_key":"hush","region":"r","bucket_name":"b","content_type":"plain/text","host_url":"https://s3.example.com"}},
 {"type":"big_query","attributes":{"type":"big_query","dataset_id":"d","project_id":"p","table_id":"t","service_account_key":"{\"private_key\":\"hush\"}"}},
 {"type":"elasticsearch","attributes":{"type":"elasticsearch","url":"https://logs.example.com/in?api_key=hush","api_key":"hush"}},
 {"type":"splunk","attributes":{"type":"splunk","url":"https://user:hush@s.example.com/","api_key":"hush"}},
 {"type":"aws_kinesis_firehose","attributes":{"type":"aws_kinesis_firehose","access_key":"hush","secret_key":"hush","region":"r","stream_name":"s"}},
 {"type":"datadog","attributes":{"type":"datadog","url":"https://d.example.com/","api_key":"hush"}},
 {"type":"azure_monitor","attributes":{"type":"azure_monitor","log_type":"l","shared_key":"hush","workspace_id":"w"}},
 {"type":"azure_blob_storage","attributes":{"type":"azure_blob_storage","storage_account":"a","container_name":"c","blob_sas_token":"hush"}}
]`

const stream = `{"id":7,"name":"logs","inputs":[{"type":"raw_logs","attributes":{"data_source":"http"}}],"transform":[],"outputs":` + outputs + `}`

func TestCredentialsOfEndpointsAreMaskedInAndOut(t *testing.T) {
	tools, err := catalog.Load(observe.Area.Documents, catalog.Options{Area: observe.Area.Name})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list_data_streams":          `{"count":1,"results":[` + stream + `]}`,
		"retrieve_data_stream":       `{"data":` + stream + `}`,
		"create_data_stream":         `{"data":` + stream + `}`,
		"update_data_stream":         `{"data":` + stream + `}`,
		"partial_update_data_stream": `{"data":` + stream + `}`,
	} {
		tool, ok := tools.Tool(name)
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		unheard(t, name+"'s answer", answer.Shape(tool, decode(t, text), answer.Page{}))
	}
	create, _ := tools.Tool("create_data_stream")
	args, faults := create.Check(map[string]any{
		"name": "logs", "inputs": []any{}, "transform": []any{}, "outputs": decode(t, stream)["outputs"],
	})
	if len(faults) > 0 {
		t.Fatalf("create_data_stream refuses the endpoints: %v", faults)
	}
	unheard(t, "create_data_stream's arguments", answer.MaskArguments(create, args))
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

// unheard wants all credentials masked, and nothing else.
func unheard(t *testing.T, what string, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "hush") {
		t.Errorf("%s tells a credential: %s", what, text)
	}
	if !strings.Contains(string(text), "logs.example.com") {
		t.Errorf("%s hides more than credentials: %s", what, text)
	}
}
