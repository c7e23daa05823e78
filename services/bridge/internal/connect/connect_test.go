package connect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/agent"
	"github.com/comporta-mcp/comporta/pkg/agent/mcpconfig"
)

var server = Server{Name: "build", URL: "https://build-mcp.example.com/mcp", TokenEnv: "COMPORTA_TOKEN"}

func TestMergingLeavesTheRestAlone(t *testing.T) {
	for name, c := range map[string]struct {
		client, text string
		want         string // whole; empty: only what stays is looked at
		stays        []string
		fail         string
	}{
		"a file that is not there yet": {client: "claude-code", want: "{\n  \"mcpServers\": {\n    \"build\": {\n      \"headers\": {\n        \"Authorization\": \"Token ${COMPORTA_TOKEN}\"\n      },\n      \"type\": \"http\",\n      \"url\": \"https://build-mcp.example.com/mcp\"\n    }\n  }\n}\n"},
		"others' entries, order and spaces stay": {
			client: "claude-code", text: "{ \"z\": 1.50,\n\t\"mcpServers\": {\"b\":{\"command\":\"x\"},  \"a\":{}}, \"y\": [1,2] }",
			stays: []string{"{ \"z\": 1.50,\n\t\"mcpServers\": {", "\"b\":{\"command\":\"x\"},  \"a\":{}}, \"y\": [1,2] }"},
		},
		"comments and trailing commas stay": {
			client: "vscode", text: "// mine\n{\n  \"servers\": { // here\n    \"a\": {\"command\": \"x\",}, /* b */\n  },\n}\n",
			stays: []string{"// mine\n{\n  \"servers\": {", "// here\n    \"a\": {\"command\": \"x\",}, /* b */\n  },\n}\n"},
		},
		"an older entry of the same name is replaced": {
			client: "cursor", text: `{"mcpServers":{"build":{"url":"http://old"},"a":{}}}`,
			stays: []string{`{"mcpServers":{"build":{`, `},"a":{}}}`},
		},
		"a name with a dot is one name":        {client: "cursor", text: `{"a.b":1,"mcpServers":{}}`, stays: []string{`{"a.b":1,"mcpServers":{`}},
		"a file that is broken is not touched": {client: "cursor", text: `{"mcpServers":`, fail: "no JSON object"},
		"a list is not touched":                {client: "cursor", text: `{"mcpServers":[]}`, fail: "no object"},
		"Codex's TOML gets a table": {
			client: "codex", text: "# mine\nmodel = \"x\"\n\n[mcp_servers.a]\ncommand = \"x\" # why\n",
			stays: []string{"# mine\nmodel = \"x\"\n\n[mcp_servers.a]\ncommand = \"x\" # why\n", "[mcp_servers.build]\n"},
		},
		"Codex's table is replaced with its own": {
			client: "codex", text: "[mcp_servers.build]\nurl = \"old\"\n[mcp_servers.build.env]\nA = \"1\"\n[other]\nx = 1\n",
			stays: []string{"[mcp_servers.build]\n", "[other]\nx = 1\n"},
		},
		"what stands above the next table is not Codex's server": {
			client: "codex", text: "[mcp_servers.build]\nurl = \"old\"\n\n# precious\n[other]\nx = 1\n",
			stays: []string{"[mcp_servers.build]\n", "\n\n# precious\n[other]\nx = 1\n"},
		},
		"a remark at the end stays": {
			client: "codex", text: "[mcp_servers.build]\nurl = \"old\"\n\n# precious\n", stays: []string{"[mcp_servers.build]\n", "\n\n# precious\n"},
		},
		"a byte order mark stays":               {client: "cursor", text: "\ufeff{\"a\":1}", stays: []string{"\ufeff{", "\"a\":1}"}},
		"an entry that would be overlooked":     {client: "cursor", text: `{"mcpServers":{},"mcpServers":{"a":{}}}`, fail: "by hand"},
		"Codex's inline form is not guessed at": {client: "codex", text: "mcp_servers = { build = { url = \"x\" } }\n", fail: "by hand"},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := Find(c.client)
			if err != nil {
				t.Fatal(err)
			}
			s := server
			if c.client == "codex" {
				s.TokenEnv = ""
			}
			got, err := client.Merge([]byte(c.text), []Server{s})
			if (err == nil) != (c.fail == "") || err != nil && !strings.Contains(err.Error(), c.fail) {
				t.Fatalf("error %v, want %q", err, c.fail)
			}
			if c.want != "" && string(got) != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			for _, stays := range c.stays {
				if !strings.Contains(string(got), stays) {
					t.Errorf("%q is gone from\n%s", stays, got)
				}
			}
			if strings.Contains(string(got), "old") {
				t.Errorf("the old entry is still there:\n%s", got)
			}
		})
	}
}

// TestWhatIsWrittenIsRead: every client's entry means what it should to the reader
// of such files.
func TestWhatIsWrittenIsRead(t *testing.T) {
	env := func(string) (string, bool) { return "azionX", true }
	for _, client := range Clients {
		for name, s := range map[string]Server{
			"with a token": server, "by sign-in": {Name: "build", URL: server.URL},
			"through the bridge": {Name: "build", URL: server.URL, Bridge: "/opt/comporta-bridge", ReadOnly: true},
		} {
			t.Run(client.ID+" "+name, func(t *testing.T) {
				if client.NeedsBridge(s) && s.Bridge == "" {
					s.Bridge = "/opt/comporta-bridge"
				}
				text, err := client.Merge(nil, []Server{s})
				if err != nil {
					t.Fatal(err)
				}
				servers, err := mcpconfig.Parse(text, mcpconfig.Options{Env: env})
				if err != nil {
					t.Fatalf("%v in\n%s", err, text)
				}
				switch transport := servers["build"].Transport.(type) {
				case agent.HTTP:
					if want := map[string]string{"": "", "COMPORTA_TOKEN": "Token azionX"}[s.TokenEnv]; transport.URL != s.URL || transport.Headers["Authorization"] != want {
						t.Errorf("%+v", transport)
					}
				case agent.Stdio:
					if transport.Command != "/opt/comporta-bridge" || transport.Args[0] != s.URL {
						t.Errorf("%+v", transport)
					}
				default:
					t.Errorf("read as %T from\n%s", transport, text)
				}
			})
		}
	}
}

func TestACopyOfTheFileIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sub", "mcp.json")
	client, err := Find("cursor")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if backup, err := client.Write(file, []Server{server}, now); err != nil || backup != "" {
		t.Fatalf("backup %q, error %v", backup, err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other := server
	other.Name = "docs"
	backup, err := client.Write(file, []Server{other}, now)
	if err != nil || !strings.HasSuffix(backup, "mcp.json.20260102-030405.bak") {
		t.Fatalf("backup %q, error %v", backup, err)
	}
	if kept, err := os.ReadFile(backup); err != nil || string(kept) != string(before) {
		t.Errorf("the copy is %q, %v", kept, err)
	}
	after, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(after), `"build"`) || !strings.Contains(string(after), `"docs"`) || !json.Valid(after) {
		t.Errorf("the file is %s, %v", after, err)
	}
}

// FuzzMerge: whatever a file holds, merging refuses or breaks nothing. Merge itself
// looks whether the rest is as it was; what it gives must be readable, and a second
// merge must find what the first one wrote.
func FuzzMerge(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{}},"b":"//"}`))
	f.Add([]byte("{/*,*/}"))
	f.Add([]byte(`{"servers":{"build":[{}]}}`))
	f.Add([]byte("a = 1\n[mcp_servers.build]\nx = 1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, client := range Clients {
			servers := []Server{{Name: "build", URL: "https://x", Bridge: "/b"}}
			once, err := client.Merge(text, servers)
			if err != nil {
				continue
			}
			twice, err := client.Merge(once, servers)
			if err != nil || string(once) != string(twice) {
				t.Fatalf("%s: %q became %q, then %q (%v)", client.ID, text, once, twice, err)
			}
		}
	})
}
