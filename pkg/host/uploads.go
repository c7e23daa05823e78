package host

import (
	"encoding/json"
	"net/http"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// maxUploadBody is the largest body of a call that sends bytes: a content of which
// JSON escapes each byte in six (\u0001; clients that send only ASCII write an é in
// three times its bytes), and 512 KiB for what is around it.
const maxUploadBody = catalog.MaxUpload*6 + 512<<10

// bodyLimit is how much of a request is read. Where no tool of the area sends
// bytes, it is what any request may have.
func (g *Gate) bodyLimit() int64 {
	for _, t := range g.tools {
		if sendsBytes(t.Tool) {
			return max(g.maxBody, maxUploadBody)
		}
	}
	return g.maxBody
}

// tooLong reports whether a message that was read is larger than one of its kind
// may be: only a call that sends bytes may be larger than the others.
func (g *Gate) tooLong(m *message) bool {
	return int64(len(m.body)) > g.maxBody && !g.uploads(m)
}

// uploads reports whether the message calls a tool that sends bytes, directly or
// through the tool that runs others.
func (g *Gate) uploads(m *message) bool {
	if m.method != methodCall {
		return false
	}
	var params struct {
		Name      string `json:"name"`
		Arguments struct {
			Tool string `json:"herramienta"`
		} `json:"arguments"`
	}
	if json.Unmarshal(m.params, &params) != nil {
		return false
	}
	name := params.Name
	if name == "ejecutar_herramienta" {
		name = params.Arguments.Tool
	}
	t, ok := g.byName[name]
	return ok && sendsBytes(t.Tool)
}

func sendsBytes(t *catalog.Tool) bool {
	return t.Binding != nil && t.Binding.Body != nil && t.Binding.Body.Bytes
}

// tooLongError is the error of a body beyond the limit that every request has.
func (g *Gate) tooLongError() error { return &http.MaxBytesError{Limit: g.maxBody} }
