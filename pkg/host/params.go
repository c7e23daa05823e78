package host

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// shape is what a method's params must be before go-sdk decodes them: its own
// refusals name Go types, or come as plain text.
type shape struct {
	required bool     // params must be there
	texts    []string // fields that must be there as texts
	options  []string // fields that must be texts where they are there
	objects  []string // fields that must be objects where they are there
	legacy   bool     // 2026-07-28 has no such method any more
}

// methods are all that a client may call, by era-independent name.
var methods = map[string]shape{
	methodInitialize:           {required: true, texts: []string{"protocolVersion"}, objects: []string{"capabilities", "clientInfo"}, legacy: true},
	"ping":                     {legacy: true},
	"server/discover":          {},
	methodList:                 {options: []string{"cursor"}},
	methodCall:                 {required: true, texts: []string{"name"}, objects: []string{"arguments"}, options: []string{"requestState"}},
	"resources/list":           {options: []string{"cursor"}},
	"resources/templates/list": {options: []string{"cursor"}},
	"resources/read":           {required: true, texts: []string{"uri"}},
	"resources/subscribe":      {required: true, texts: []string{"uri"}, legacy: true},
	"resources/unsubscribe":    {required: true, texts: []string{"uri"}, legacy: true},
	"prompts/list":             {options: []string{"cursor"}},
	"prompts/get":              {required: true, texts: []string{"name"}, objects: []string{"arguments"}},
	"completion/complete":      {required: true, objects: []string{"ref", "argument", "context"}},
	"logging/setLevel":         {required: true, texts: []string{"level"}, legacy: true},
	methodListen:               {},
}

// checkParams says what is wrong with the params, or "".
func (s shape) checkParams(raw json.RawMessage) string {
	if raw == nil {
		if s.required {
			return "params is missing"
		}
		return ""
	}
	if !isObject(raw) {
		return "params must be an object"
	}
	var params map[string]json.RawMessage
	if err := json.Unmarshal(raw, &params); err != nil {
		return "params must be an object"
	}
	for _, name := range s.texts {
		if _, ok := text(params[name]); !ok {
			return fmt.Sprintf("params.%s must be a string", name)
		}
	}
	for _, name := range s.options {
		if _, ok := text(params[name]); !ok && !absent(params[name]) {
			return fmt.Sprintf("params.%s must be a string", name)
		}
	}
	for _, name := range append(s.objects, "_meta") {
		if !isObject(params[name]) && !absent(params[name]) {
			return fmt.Sprintf("params.%s must be an object", name)
		}
	}
	return ""
}

func absent(raw json.RawMessage) bool { return raw == nil || string(raw) == "null" }

// isCall reports whether the message is a call of a tool, which has its own
// limit. What only looks like one counts as another request.
func (m *message) isCall() bool {
	return m.method == methodCall && m.id != nil && m.fault == nil && methods[methodCall].checkParams(m.params) == ""
}

// checkMethod answers what can be refused by the method and its params alone.
// A method that the modern era does not know is left to go-sdk, which has the
// status for it.
func checkMethod(w http.ResponseWriter, m *message, e era) bool {
	shape, known := methods[m.method]
	if e == modern && (!known || shape.legacy) {
		return true
	}
	if !known {
		writeError(w, http.StatusOK, m.id, codeNoMethod, "Method not found")
		return false
	}
	fault := shape.checkParams(m.params)
	if fault == "" || e == modern && m.params == nil {
		return true // without params the modern rules have their own refusal
	}
	writeError(w, invalidParamsStatus(e), m.id, codeInvalidParams, "Invalid params: "+fault)
	return false
}

// invalidParamsStatus: the modern rules give -32602 a status of its own.
func invalidParamsStatus(e era) int {
	if e == modern {
		return http.StatusBadRequest
	}
	return http.StatusOK
}
