package host

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// era is which of MCP's two ways a request speaks: with a handshake before it
// (to 2025-11-25), or with everything it needs in itself (from 2026-07-28).
type era int

const (
	legacy era = iota
	modern
)

const (
	versionHeader = "Mcp-Protocol-Version"
	methodHeader  = "Mcp-Method"
	nameHeader    = "Mcp-Name"
	firstModern   = "2026-07-28"
)

// versions are those go-sdk serves, newest first.
var versions = mcp.SupportedProtocolVersions()

// checkVersion refuses a version that nobody serves and names those that are.
// An absent header is the oldest rule; initialize negotiates in its body instead.
func checkVersion(w http.ResponseWriter, r *http.Request, m *message) bool {
	asked := strings.TrimSpace(r.Header.Get(versionHeader))
	if asked == "" || slices.Contains(versions, asked) {
		return true
	}
	if m.method == methodInitialize {
		r.Header.Del(versionHeader)
		return true
	}
	writeErrorData(w, http.StatusBadRequest, m.id, codeVersion, "Unsupported protocol version",
		map[string]any{"supported": versions, "requested": asked})
	return false
}

// eraOf is the era that a request's header names.
func eraOf(h http.Header) era {
	if h.Get(versionHeader) >= firstModern {
		return modern
	}
	return legacy
}

// wellFormed reports whether the message keeps the rules of its era, as far as
// tools/list and tools/call go. What does not goes to go-sdk, which knows the
// right refusal for each case.
func (m *message) wellFormed(h http.Header) bool {
	version, hasVersion := text(m.meta.Version)
	if eraOf(h) == legacy {
		return !hasVersion && m.meta.Version == nil
	}
	return version == h.Get(versionHeader) &&
		isObject(m.meta.Capabilities) &&
		(m.meta.ClientInfo == nil || isImplementation(m.meta.ClientInfo)) &&
		h.Get(methodHeader) == m.method &&
		(m.method != methodCall || h.Get(nameHeader) == m.toolName())
}

func text(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

func isImplementation(raw json.RawMessage) bool {
	var i mcp.Implementation
	return isObject(raw) && json.Unmarshal(raw, &i) == nil
}
