package build_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/services/build"
)

// common are the tools of every host that the instructions speak of (contract §5).
var common = []string{"ping", "ver_contexto_inicial", "ver_operacion"}

// toolNames finds what looks like the name of a tool: a verb of ours and more words.
var toolNames = regexp.MustCompile(`\b(?:list|create|retrieve|update|partial_update|delete|clone|ver)_[a-z_]*[a-z]\b`)

func load(t *testing.T) *catalog.Catalog {
	t.Helper()
	var names []string
	for _, p := range build.Area.Profiles {
		names = append(names, p.Name)
	}
	tools, err := catalog.Load(build.Area.Documents, catalog.Options{Area: build.Area.Name, Profiles: names})
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func TestTheDocumentsMakeAllTools(t *testing.T) {
	tools := load(t)
	if n := len(tools.Tools()); n != 51 { // the operations of the three documents
		t.Errorf("the documents make %d tools, want 51", n)
	}
	for _, fault := range catalog.Lint(tools.Tools()) {
		t.Error(fault)
	}
}

func TestEveryProfileHasToolsAndEveryToolAProfile(t *testing.T) {
	tools := load(t).Tools()
	for _, p := range build.Area.Profiles {
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

func TestInstructionsAndExamplesNameToolsThatExist(t *testing.T) {
	tools := load(t)
	exists := func(name string) bool {
		_, ok := tools.Tool(name)
		return ok || slices.Contains(common, name)
	}
	texts := map[string]string{"the area": build.Area.Instructions}
	for _, p := range build.Area.Profiles {
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
	for _, example := range build.Area.Examples {
		if !exists(example.Tool) {
			t.Errorf("the example %q leads to %s, which is no tool", example.Ask, example.Tool)
		}
	}
}

func TestDescriptionsSpeakOfToolsThatExist(t *testing.T) {
	tools := load(t)
	for _, tool := range tools.Tools() {
		for _, name := range toolNames.FindAllString(tool.Description, -1) {
			if _, ok := tools.Tool(name); !ok && !slices.Contains(common, name) {
				t.Errorf("%s speaks of %s, which is no tool", tool.Name, name)
			}
		}
	}
}
