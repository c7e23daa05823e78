package mcpconfig

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/agent"
	"github.com/google/go-cmp/cmp"
)

var options = Options{
	Home: "/home/ana", Workspace: "/work",
	Env: func(name string) (string, bool) {
		value, ok := map[string]string{"TOKEN": "t0k", "EMPTY": ""}[name]
		return value, ok
	},
}

func TestTheFilesOfOtherClientsAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want agent.Servers
		fail []string
	}{
		"Claude Desktop starts a process": {
			text: `{"mcpServers":{"files":{"command":"npx","args":["-y","server-filesystem","${userHome}/docs"],"env":{"A":"${TOKEN}"}}}}`,
			want: agent.Servers{"files": {Transport: agent.Stdio{Command: "npx", Args: []string{"-y", "server-filesystem", "/home/ana/docs"}, Env: map[string]string{"A": "t0k"}}}},
		},
		"Claude Code names the type and has defaults": {
			text: `{"mcpServers":{"a":{"type":"http","url":"${BASE:-https://x.example}/mcp","headers":{"Authorization":"Token ${TOKEN}"}},"b":{"type":"sse","url":"https://y.example/sse"},"c":{"type":"streamable-http","url":"https://z.example"}}}`,
			want: agent.Servers{
				"a": {Transport: agent.HTTP{URL: "https://x.example/mcp", Headers: map[string]string{"Authorization": "Token t0k"}}},
				"b": {Transport: agent.SSE{URL: "https://y.example/sse"}},
				"c": {Transport: agent.HTTP{URL: "https://z.example"}},
			},
		},
		"VS Code writes comments, trailing commas and ${env:…}": {
			text: "// my servers\n{\n \"servers\": { /* one */ \"a\": {\"type\": \"http\", \"url\": \"https://x.example/a//b\", \"headers\": {\"X\": \"${env:TOKEN}\",}, }, },\n \"inputs\": []}",
			want: agent.Servers{"a": {Transport: agent.HTTP{URL: "https://x.example/a//b", Headers: map[string]string{"X": "t0k"}}}},
		},
		"VS Code's settings hold them deeper": {
			text: `{"mcp":{"servers":{"a":{"command":"x","cwd":"${workspaceFolder}"}}}}`,
			want: agent.Servers{"a": {Transport: agent.Stdio{Command: "x", Dir: "/work"}}},
		},
		"an entry of the wrong kind takes no other with it": {
			text: `{"mcpServers":{"a":{"command":"x"},"b":{"command":"y","env":{"PORT":8080}},"c":7}}`,
			want: agent.Servers{"a": {Transport: agent.Stdio{Command: "x"}}},
			fail: []string{"server b:", "env", "server c:"},
		},
		"nor does one in TOML": {
			text: "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.b]\ncommand = 8\n",
			want: agent.Servers{"a": {Transport: agent.Stdio{Command: "x"}}},
			fail: []string{"server b:"},
		},
		"Windsurf says serverUrl and disabledTools": {
			text: `{"mcpServers":{"a":{"serverUrl":"https://x.example","disabledTools":["delete_x"],"disabled":true}}}`,
			want: agent.Servers{"a": {Transport: agent.HTTP{URL: "https://x.example"}, Deny: []string{"delete_x"}, Disabled: true}},
		},
		"Gemini says httpUrl and includeTools": {
			text: `{"mcpServers":{"a":{"httpUrl":"https://x.example","includeTools":["b"],"excludeTools":["c"]}}}`,
			want: agent.Servers{"a": {Transport: agent.HTTP{URL: "https://x.example"}, Allow: []string{"b"}, Deny: []string{"c"}}},
		},
		"Codex writes TOML": {
			text: "model = \"x\"\n[mcp_servers.a]\nurl = \"https://x.example\"\nbearer_token_env_var = \"TOKEN\"\nhttp_headers = { X = \"1\" }\nenv_http_headers = { Y = \"TOKEN\" }\ntool_timeout_sec = 60\nstartup_timeout_sec = 2.5\nenabled_tools = [\"b\"]\n[mcp_servers.c]\ncommand = \"x\"\nenabled = false\n",
			want: agent.Servers{
				"a": {
					Transport:   agent.HTTP{URL: "https://x.example", Headers: map[string]string{"Authorization": "Bearer t0k", "X": "1", "Y": "t0k"}},
					CallTimeout: time.Minute, ConnectTimeout: 2500 * time.Millisecond, Allow: []string{"b"},
				},
				"c": {Transport: agent.Stdio{Command: "x"}, Disabled: true},
			},
		},
		"a hosted proxy has two names": {
			text: `{"mcpServers":{"a":{"type":"proxy","url":"https://p.example","id":"s1"},"b":{"type":"claudeai-proxy","url":"https://p.example","id":"s2"}}}`,
			want: agent.Servers{"a": {Transport: agent.Proxy{URL: "https://p.example", ID: "s1"}}, "b": {Transport: agent.Proxy{URL: "https://p.example", ID: "s2"}}},
		},
		"an empty variable takes the default": {
			text: `{"mcpServers":{"a":{"command":"${EMPTY:-x}"}}}`,
			want: agent.Servers{"a": {Transport: agent.Stdio{Command: "x"}}},
		},
		"what is wrong is told by server, and the others are there": {
			text: `{"mcpServers":{"good":{"command":"x"},"unset":{"command":"x","args":["${NOPE}"]},"asks":{"url":"https://x","headers":{"X":"${input:key}"}},"both":{"command":"x","url":"y"},"none":{},"kind":{"type":"carrier-pigeon"},"in":{"type":"sdk"}}}`,
			want: agent.Servers{"good": {Transport: agent.Stdio{Command: "x"}}},
			fail: []string{"server unset: the environment variable NOPE is not set", "server asks: ${input:key}", "server both: an entry needs either", "server none: ", `unknown type "carrier-pigeon"`, "lives in a program"},
		},
		"what is neither JSON nor TOML": {text: `{"mcpServers":`, fail: []string{"no JSON"}},
		"TOML that breaks off":          {text: `[mcp_servers`, fail: []string{"no TOML"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse([]byte(c.text), options)
			if len(c.want) > 0 || err == nil {
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error(diff)
				}
			}
			if (err == nil) != (len(c.fail) == 0) {
				t.Errorf("error %v", err)
			}
			for _, want := range c.fail {
				if err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
		})
	}
}

// FuzzStripComments: valid JSON stays what it is, whatever else goes through.
func FuzzStripComments(f *testing.F) {
	f.Add([]byte(`{"a":"//no","b":[1,],/*x*/}`))
	f.Add([]byte(`"\"//"`))
	f.Add([]byte("/*"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := StripComments(text)
		if len(got) != len(text) {
			t.Fatalf("%d bytes of %d", len(got), len(text))
		}
		if json.Valid(text) && string(got) != string(text) {
			t.Fatalf("%q became %q", text, got)
		}
		_, _ = Parse(text, options)
	})
}
