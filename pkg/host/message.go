package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"
)

// Methods that the door itself has to tell apart.
const (
	methodInitialize = "initialize"
	methodList       = "tools/list"
	methodCall       = "tools/call"
	methodCancelled  = "notifications/cancelled"
	methodListen     = "subscriptions/listen"
)

// message is a request's body, read once and taken apart as far as the door must.
type message struct {
	body   []byte
	batch  bool
	id     json.RawMessage // nil for a notification or a response
	method string          // "" for a response
	params json.RawMessage
	// meta is what params._meta says, where it can be read.
	meta struct {
		ProgressToken json.RawMessage `json:"progressToken"`
		Version       json.RawMessage `json:"io.modelcontextprotocol/protocolVersion"`
		Capabilities  json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
		ClientInfo    json.RawMessage `json:"io.modelcontextprotocol/clientInfo"`
		Traceparent   string          `json:"traceparent"`
	}
	// fault is set where the body is no JSON-RPC message.
	fault error
}

// bodyTime is how long a client may take to send its body.
const bodyTime = 30 * time.Second

// readMessage reads the body, which must have at most limit bytes. The error is
// *http.MaxBytesError where it is larger, else that of reading.
func readMessage(w http.ResponseWriter, r *http.Request, limit int64) (*message, error) {
	control := http.NewResponseController(w)
	// Not every writer of a test can set deadlines; the server's can.
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		// The deadline stays: net/http still waits for the rest of the body.
		w.Header().Set("Connection", "close")
		return nil, fmt.Errorf("read the request: %w", err)
	}
	_ = control.SetReadDeadline(time.Time{})
	return parseMessage(body), nil
}

var (
	errNotJSON    = errors.New("the body is no JSON")
	errNotMessage = errors.New("the body is no JSON-RPC 2.0 message")
	errHalf       = errors.New(`a text holds half a character, such as \ud83d alone; send both halves, or the character itself`)
)

func parseMessage(body []byte) *message {
	m := &message{body: body}
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	if len(trimmed) > 0 && trimmed[0] == '[' {
		m.batch = true
		return m
	}
	var envelope struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	// Bytes that are no text would be replaced in silence further on.
	if !utf8.Valid(body) || !json.Valid(body) {
		m.fault = errNotJSON
		return m
	}
	if err := json.Unmarshal(body, &envelope); err != nil || envelope.Version != "2.0" {
		m.fault = errNotMessage
		return m
	}
	m.id = envelope.ID
	if !validID(envelope.ID) {
		m.id, m.fault = nil, errNotMessage
	}
	if envelope.Method == nil && envelope.Result == nil && envelope.Error == nil ||
		envelope.Method != nil && *envelope.Method == "" {
		m.fault = errNotMessage
	}
	if m.fault == nil && halfCharacter(body) {
		m.fault = errHalf
	}
	if envelope.Method != nil {
		m.method = *envelope.Method
	}
	m.params = envelope.Params
	if string(m.params) == "null" {
		m.params = nil
	}
	m.readMeta()
	return m
}

// canonical is the message written anew from what was understood of it, so that
// nobody behind the door can understand a doubled or oddly spelled key otherwise.
func (m *message) canonical() []byte {
	body, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", m.id, m.method, m.params})
	if err != nil { // the parts are JSON that was decoded before
		return []byte("{}")
	}
	return body
}

// Bounds of a message's id: it is said back in every answer, and go-sdk reads a
// number as a float, which is exact up to here.
const (
	maxID       = 1 << 10 // bytes
	maxSafeID   = 1<<53 - 1
	digitsOfIDs = len("-9007199254740991")
)

// validID: MCP allows strings and integers. A null id is a message nobody could
// match, and a number that somebody may round would match another one.
func validID(id json.RawMessage) bool {
	return id == nil || isToken(id)
}

// isToken reports whether a value is what MCP takes as an id or a progress
// token: a string or an integer.
func isToken(value json.RawMessage) bool {
	if len(value) == 0 || len(value) > maxID {
		return false
	}
	if value[0] == '"' {
		return true
	}
	if len(value) > digitsOfIDs {
		return false
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	return err == nil && n <= maxSafeID && n >= -maxSafeID
}

func (m *message) readMeta() {
	if !bytes.Contains(m.params, []byte(`"_meta"`)) {
		return
	}
	var params struct {
		Meta json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(m.params, &params) == nil && params.Meta != nil {
		// What has another type stays empty; go-sdk refuses it where it matters.
		_ = json.Unmarshal(params.Meta, &m.meta)
	}
}

// notification reports whether the message asks for no answer.
func (m *message) notification() bool { return m.method != "" && m.id == nil }

// wantsProgress reports whether the caller asked to hear of progress. A token that
// MCP does not know (null, a fraction) asks for nothing.
func (m *message) wantsProgress() bool { return isToken(m.meta.ProgressToken) }

// toolName is the tool that a tools/call names, or "".
func (m *message) toolName() string {
	var params struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(m.params, &params) != nil {
		return ""
	}
	return params.Name
}
