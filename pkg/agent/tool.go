package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tool is a server's tool as the agent and its model see it.
type Tool struct {
	// Name is mcp__<server>__<tool>. A name that a model's API would refuse (longer
	// than 64 characters, or others than letters, digits, _ and -) is shortened and
	// ends in a hash.
	Name        string
	Server      string
	Remote      string // what the server calls it
	Title       string
	Description string
	InputSchema json.RawMessage // a JSON Schema of type object

	// Hints of the server, in the careful reading: what it does not say, a tool may do.
	ReadOnly, Destructive, Idempotent bool
}

// Function is the tool in the form of an OpenAI-compatible "tools" array.
func (t Tool) Function() map[string]any {
	return map[string]any{"type": "function", "function": map[string]any{
		"name": t.Name, "description": t.Description, "parameters": t.InputSchema,
	}}
}

// Tools are the tools of all connected servers that the agent may use, by name.
// They are listed when a server connects and when it says that they changed; this
// does no I/O.
func (m *Manager) Tools() []Tool {
	var all []Tool
	for _, s := range m.sorted() {
		s.mu.Lock()
		if s.live != nil {
			all = slices.AppendSeq(all, maps.Values(s.tools))
		}
		s.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// offer is what of a server's list the agent may use, by the name it carries.
func (s *server) offer(listed []*mcp.Tool) map[string]Tool {
	tools := map[string]Tool{}
	for _, t := range listed {
		if s.cfg.permits(t.Name) {
			offered := newTool(s.name, t)
			tools[offered.Name] = offered
		}
	}
	return tools
}

func newTool(server string, t *mcp.Tool) Tool {
	tool := Tool{
		Name: toolName(server, t.Name), Server: server, Remote: t.Name,
		Title: t.Title, Description: t.Description, Destructive: true,
	}
	if schema, err := json.Marshal(t.InputSchema); err == nil {
		tool.InputSchema = withProperties(schema)
	}
	if a := t.Annotations; a != nil {
		tool.Title = cmp.Or(tool.Title, a.Title)
		tool.ReadOnly = a.ReadOnlyHint
		tool.Idempotent = a.ReadOnlyHint || a.IdempotentHint
		tool.Destructive = !a.ReadOnlyHint && (a.DestructiveHint == nil || *a.DestructiveHint)
	}
	return tool
}

// withProperties makes an object schema with properties of any: models' APIs
// refuse a whole request for one tool without.
func withProperties(schema json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &members) != nil || members == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	var properties map[string]json.RawMessage
	if json.Unmarshal(members["properties"], &properties) == nil && properties != nil && string(members["type"]) == `"object"` {
		return schema
	}
	if properties == nil {
		members["properties"] = json.RawMessage(`{}`)
	}
	members["type"] = json.RawMessage(`"object"`)
	changed, err := json.Marshal(members)
	if err != nil {
		return schema
	}
	return changed
}

// Names that models' APIs take.
var (
	plainName  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	otherChars = regexp.MustCompile(`[^A-Za-z0-9_-]`)
)

func toolName(server, tool string) string {
	name := prefix + server + separator + tool
	if plainName.MatchString(name) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	name = otherChars.ReplaceAllString(name, "_")
	return name[:min(len(name), 55)] + "_" + hex.EncodeToString(sum[:4])
}

// find is the tool that a name means. It connects nothing: a server that is not
// there is told by the call itself.
func (m *Manager) find(name string) (*server, string, error) {
	for _, s := range m.sorted() {
		s.mu.Lock()
		tool, ok := s.tools[name]
		s.mu.Unlock()
		if ok {
			return s, tool.Remote, nil
		}
	}
	serverName, tool, ok := strings.Cut(strings.TrimPrefix(name, prefix), separator)
	if !ok || !strings.HasPrefix(name, prefix) {
		return nil, "", fmt.Errorf("%q is no tool's name: they look like mcp__<server>__<tool>", name)
	}
	s, err := m.server(serverName)
	if err != nil {
		return nil, "", err
	}
	if !s.cfg.permits(tool) {
		return nil, "", fmt.Errorf("the agent's configuration does not allow tool %q of server %q", tool, serverName)
	}
	return s, tool, nil
}

// relist reads a server's tools again, in the background. One reading runs at a
// time: a server that tells of changes faster than it lists them is read once more
// at the end, and an older list never comes after a newer one.
func (s *server) relist() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
	if s.live != nil && !s.listing {
		s.listing = s.m.spawn(s.listAgain)
	}
}

func (s *server) listAgain() {
	for {
		s.mu.Lock()
		live := s.live
		if live == nil || !s.stale {
			s.listing = false
			s.mu.Unlock()
			return
		}
		s.stale = false
		s.mu.Unlock()
		s.listOnce(live)
	}
}

func (s *server) listOnce(live session) {
	ctx, cancel := context.WithTimeout(s.m.ctx, s.m.opts.ConnectTimeout)
	defer cancel()
	listed, err := live.tools(ctx)
	if err != nil {
		s.m.opts.Logger.Warn("listing changed tools failed; the old list stays", "server", s.name, "error", err)
		return
	}
	s.mu.Lock()
	if s.live == live {
		s.tools = s.offer(listed)
	}
	s.mu.Unlock()
	s.changed()
}
