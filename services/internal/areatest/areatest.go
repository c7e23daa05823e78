// Package areatest is test support for the areas: that an area's documents
// become tools, that its profiles have them, and that whatever its prose calls
// a tool is one. What the documents say is package publicapi's to check.
package areatest

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/quota"
)

// common are the tools of every host that the prose speaks of (contract §5).
var common = []string{"ping", "ver_contexto_inicial", "listar_empresas", "ver_operacion", "listar_operaciones", "cancelar_operacion"}

// toolNames finds what looks like the name of a tool: a verb of ours and more words.
var toolNames = regexp.MustCompile(`\b(?:list|create|retrieve|update|partial_update|delete|clone|order|request|ver|listar|cancelar|describe|run)_[a-z_]*[a-z]\b`)

// behaviors look like tools and are none: they are what a rule does.
var behaviors = []string{"run_function"}

// Check reports what is wrong with an area whose documents make want tools.
// The hand-written tools of the area count by their names.
func Check(t *testing.T, area host.Area, want int, byHand ...string) {
	t.Helper()
	tools := load(t, area)
	exists := func(name string) bool {
		_, ok := tools.Tool(name)
		return ok || slices.Contains(common, name) || slices.Contains(byHand, name) || slices.Contains(behaviors, name)
	}
	t.Run("the documents make all tools", func(t *testing.T) {
		if n := len(tools.Tools()) + len(tools.Never()); n != want {
			t.Errorf("the documents make %d tools, want %d", n, want)
		}
		for _, fault := range catalog.Lint(tools.Tools()) {
			t.Error(fault)
		}
	})
	t.Run("every profile has tools and every tool a profile", func(t *testing.T) { checkProfiles(t, area, tools.Tools()) })
	t.Run("instructions and examples name tools that exist", func(t *testing.T) { checkInstructions(t, area, exists) })
	t.Run("limits are declared and count by arguments that exist", func(t *testing.T) { checkLimits(t, tools.Tools()) })
	t.Run("descriptions name tools that exist", func(t *testing.T) {
		for _, tool := range tools.Tools() {
			for _, name := range toolNames.FindAllString(tool.Description, -1) {
				if !exists(name) {
					t.Errorf("%s speaks of %s, which is no tool", tool.Name, name)
				}
			}
		}
	})
}

func load(t *testing.T, area host.Area) *catalog.Catalog {
	t.Helper()
	var names []string
	for _, p := range area.Profiles {
		names = append(names, p.Name)
	}
	tools, err := catalog.Load(area.Documents, catalog.Options{Area: area.Name, Profiles: names})
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func checkProfiles(t *testing.T, area host.Area, tools []*catalog.Tool) {
	for _, p := range area.Profiles {
		if !slices.ContainsFunc(tools, func(tool *catalog.Tool) bool { return slices.Contains(tool.Profiles, p.Name) }) {
			t.Errorf("profile %s is empty", p.Name)
		}
	}
	for _, tool := range tools {
		if len(tool.Profiles) == 0 {
			t.Errorf("%s is in no profile", tool.Name)
		}
	}
}

// checkLimits: a limit per argument counts nothing where a tool has no such argument.
func checkLimits(t *testing.T, tools []*catalog.Tool) {
	limits := quota.Defaults()
	for _, tool := range tools {
		for _, name := range tool.Limits {
			limit, known := limits[name]
			if !known {
				t.Errorf("%s: nobody declares the limit %s", tool.Name, name)
			}
			if limit.Per != quota.PerArg {
				continue
			}
			for arg := range strings.SplitSeq(limit.Arg, ",") {
				if !slices.Contains(arguments(tool), arg) {
					t.Errorf("%s: the limit %s counts by %s, which is no argument of it", tool.Name, name, arg)
				}
			}
		}
	}
}

func arguments(tool *catalog.Tool) []string {
	var names []string
	for _, param := range tool.Binding.Params {
		names = append(names, param.Arg)
	}
	if tool.Binding.Body != nil {
		names = append(names, tool.Binding.Body.Fields...)
	}
	return names
}

func checkInstructions(t *testing.T, area host.Area, exists func(string) bool) {
	texts := map[string]string{"the area": area.Instructions}
	for _, p := range area.Profiles {
		texts["profile "+p.Name] = p.Instructions
	}
	for where, text := range texts {
		named := toolNames.FindAllString(text, -1)
		if !slices.Contains(named, "ver_contexto_inicial") {
			t.Errorf("%s does not say to begin with ver_contexto_inicial", where)
		}
		for _, name := range named {
			if !exists(name) {
				t.Errorf("%s speaks of %s, which is no tool", where, name)
			}
		}
	}
	for _, example := range area.Examples {
		if !exists(example.Tool) {
			t.Errorf("the example %q leads to %s, which is no tool", example.Ask, example.Tool)
		}
	}
}
