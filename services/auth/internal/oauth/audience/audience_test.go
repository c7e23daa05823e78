package audience

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func areas(t *testing.T) *Areas {
	t.Helper()
	a, err := New([]string{"docs", "build"}, map[string]string{
		"docs":  "https://docs-mcp.example.com",
		"build": "http://127.0.0.1:8102/",
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAResourceNamesAnArea(t *testing.T) {
	a := areas(t)
	for _, c := range []struct{ name, resource, area string }{
		{"the MCP URL", "https://docs-mcp.example.com/mcp", "docs"},
		{"with a slash at its end", "https://docs-mcp.example.com/mcp/", "docs"},
		{"a profile", "https://docs-mcp.example.com/mcp/search", "docs"},
		{"a profile with a slash", "https://docs-mcp.example.com/mcp/search/", "docs"},
		{"the bare origin", "https://docs-mcp.example.com", "docs"},
		{"the origin with a slash", "https://docs-mcp.example.com/", "docs"},
		{"an upper-case host and scheme", "HTTPS://DOCS-MCP.example.COM/mcp", "docs"},
		{"the default port", "https://docs-mcp.example.com:443/mcp", "docs"},
		{"another area on a port", "http://127.0.0.1:8102/mcp", "build"},
		{"two slashes at its end", "https://docs-mcp.example.com/mcp//", ""},
		{"another path", "https://docs-mcp.example.com/other", ""},
		{"a path below a profile", "https://docs-mcp.example.com/mcp/search/more", ""},
		{"an upper-case path", "https://docs-mcp.example.com/MCP", ""},
		{"another host", "https://evil.example/", ""},
		{"a host that only begins alike", "https://docs-mcp.example.com.evil.example/mcp", ""},
		{"a port that only begins alike", "http://127.0.0.1:81022/mcp", ""},
		{"the area's name in the user part", "https://docs-mcp.example.com@evil.example/mcp", ""},
		{"another scheme", "http://docs-mcp.example.com/mcp", ""},
		{"a fragment", "https://docs-mcp.example.com/mcp#x", ""},
		{"an empty fragment", "https://docs-mcp.example.com/mcp#", ""},
		{"a query", "https://docs-mcp.example.com/mcp?x=1", ""},
		{"dots in the path", "https://docs-mcp.example.com/mcp/../mcp", ""},
		{"nothing", "", ""},
		{"no URL", "docs", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if area, ok := a.Resource(c.resource); area != c.area || ok != (c.area != "") {
				t.Errorf("Resource(%q) = %q, %v, want %q", c.resource, area, ok, c.area)
			}
		})
	}
}

func TestAScopeAsksForAreas(t *testing.T) {
	a := areas(t)
	for _, c := range []struct {
		name, scope string
		want        Asked
	}{
		{"nothing", "", Asked{}},
		{"reading one", "build:read", Asked{Areas: []string{"build"}}},
		{"both, in any order", "build:write docs:read build:read", Asked{Areas: []string{"docs", "build"}, Writes: true}},
		{"unknown ones are dropped", "build:read mcp:tools", Asked{Areas: []string{"build"}}},
		{"only unknown ones", "mcp:tools build", Asked{Unknown: true}},
		{"offline_access is tolerated", "offline_access", Asked{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, a.Asked(c.scope)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := Scope([]string{"docs", "build"}, false); got != "docs:read docs:write build:read build:write" {
		t.Errorf("the scope is %q", got)
	}
	if got := Scope([]string{"docs"}, true); got != "docs:read" {
		t.Errorf("the read-only scope is %q", got)
	}
}

func TestURLsThatCannotBeToldApartAreRefused(t *testing.T) {
	for name, bases := range map[string]map[string]string{
		"the same twice":  {"docs": "https://a.example", "build": "https://A.example:443/"},
		"an unknown area": {"billing": "https://a.example"},
		"no URL":          {"docs": "a.example"},
		"with a query":    {"docs": "https://a.example/?x"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New([]string{"docs", "build"}, bases); err == nil {
				t.Error("it was taken")
			}
		})
	}
}
