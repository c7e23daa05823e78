package bridge

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// message is what the bridge has to know of one; the bytes go on as they are.
type message struct {
	raw    []byte
	ID     json.RawMessage
	Method string
	Params params
	batch  []message // an array of messages, which revisions before 2025-06-18 have
}

type params struct {
	Name, URI, TaskID string
	RequestID         json.RawMessage // of notifications/cancelled
	Version           string          // of the revision, in _meta
}

// errNoMessage is of a line that is no JSON-RPC.
var errNoMessage = errors.New("no JSON-RPC message")

func parse(line []byte) (message, error) {
	if line[0] != '[' {
		return parseOne(line)
	}
	m := message{raw: line}
	var all []json.RawMessage
	if err := json.Unmarshal(line, &all); err != nil || len(all) == 0 {
		return m, errNoMessage
	}
	for _, raw := range all {
		one, err := parseOne(raw)
		if err != nil {
			return m, err
		}
		m.batch = append(m.batch, one)
	}
	return m, nil
}

// parseOne reads what is known of a message; params of other kinds than known are
// the server's to judge.
func parseOne(line []byte) (message, error) {
	m := message{raw: line}
	top := membersOf(line)
	m.ID, m.Method = top["id"], top.text("method")
	if m.Method == "" && m.ID == nil {
		return m, errNoMessage
	}
	p := membersOf(top["params"])
	m.Params = params{
		Name: p.text("name"), URI: p.text("uri"), TaskID: p.text("taskId"), RequestID: p["requestId"],
		Version: membersOf(p["_meta"]).text("io.modelcontextprotocol/protocolVersion"),
	}
	return m, nil
}

// members are an object's by their exact names. A struct would take "Method" for
// "method" as well: the bridge would judge another message than the server reads.
type members map[string]json.RawMessage

// membersOf gives none where raw is no object.
func membersOf(raw []byte) (m members) {
	_ = json.Unmarshal(raw, &m)
	return m
}

func (m members) text(name string) (text string) {
	_ = json.Unmarshal(m[name], &text)
	return text
}

// key is one for all spellings of an id: many programs escape what others do not.
func key(id json.RawMessage) string {
	var text string
	if len(id) == 0 || id[0] != '"' || json.Unmarshal(id, &text) != nil {
		return string(id)
	}
	return `"` + text
}

// requests are the ids that wait for an answer.
func (m *message) requests() []json.RawMessage {
	if m.batch != nil {
		var ids []json.RawMessage
		for _, one := range m.batch {
			ids = append(ids, one.requests()...)
		}
		return ids
	}
	if m.Method == "" || m.ID == nil {
		return nil
	}
	return []json.RawMessage{m.ID}
}

// target is what a request is about, for the header Mcp-Name.
func (m *message) target() string {
	switch m.Method {
	case "tools/call", "prompts/get":
		return m.Params.Name
	case "resources/read":
		return m.Params.URI
	case "tasks/get", "tasks/update", "tasks/cancel":
		return m.Params.TaskID
	}
	return ""
}

// headerValue writes a text as a header can carry it: what is not plain ASCII goes
// as the revision's Base64 form.
func headerValue(text string) string {
	for _, b := range []byte(text) {
		if b < ' ' || b > '~' {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
		}
	}
	return text
}

// failure is an answer that the bridge gives itself.
func failure(id json.RawMessage, code int, text string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	said, err := json.Marshal(text)
	if err != nil {
		said = []byte(`"the error cannot be told"`)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, said)
}

// internalError is JSON-RPC's code for what is nobody's fault by name.
const internalError = -32603

// withID is an error answer of a server with the request's own id: a gate that
// refuses before reading answers with "id": null, which no client can place.
func withID(body []byte, id json.RawMessage) ([]byte, bool) {
	var answer struct {
		ID    json.RawMessage `json:"id"`
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || len(answer.Error) < 2 || answer.Error[0] != '{' {
		return nil, false
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, answer.Error), true
}

// compact is a message on one line.
func compact(body []byte) ([]byte, error) {
	var line bytes.Buffer
	if err := json.Compact(&line, body); err != nil {
		return nil, err
	}
	return line.Bytes(), nil
}
