package catalogs_test

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/services/catalogs"
)

// everyTool gives each area's tools.
func everyTool(t *testing.T) map[string][]*catalog.Tool {
	t.Helper()
	all := map[string][]*catalog.Tool{}
	for area, documents := range catalogs.Documents() {
		if names, err := fs.Glob(documents, "*.yaml"); err != nil || len(names) == 0 {
			continue
		}
		loaded, err := catalog.Load(documents, catalog.Options{Area: area})
		if err != nil {
			t.Fatal(err)
		}
		all[area] = loaded.Tools()
	}
	return all
}

// fields gives every field of a schema by its path, with its kinds.
func fields(t *testing.T, schema json.RawMessage) map[string]string {
	t.Helper()
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		t.Fatal(err)
	}
	top, _ := root.(map[string]any)
	definitions, _ := top["$defs"].(map[string]any)
	out := map[string]string{}
	var walk func(v any, path string, depth int)
	walk = func(v any, path string, depth int) {
		s, ok := v.(map[string]any)
		if !ok || depth > 24 {
			return
		}
		if ref, ok := s["$ref"].(string); ok {
			walk(definitions[strings.TrimPrefix(ref, "#/$defs/")], path, depth+1)
		}
		if path != "" {
			kind, _ := s["type"].(string)
			out[path] = strings.TrimSpace(out[path] + " " + kind)
		}
		properties, _ := s["properties"].(map[string]any)
		for name, value := range properties {
			walk(value, strings.TrimPrefix(path+"."+name, "."), depth+1)
		}
		walk(s["items"], path+"[]", depth+1)
		for _, word := range []string{"anyOf", "oneOf", "allOf"} {
			options, _ := s[word].([]any)
			for _, option := range options {
				walk(option, path, depth+1)
			}
		}
	}
	walk(root, "", 0)
	return out
}

// namesResource are fields that are called as if they held the id of something.
var namesResource = regexp.MustCompile(`(^|[._])(id|ids|application|workload|function|connector|firewall|waf|network_list|zone|certificate|stream|bucket|database|namespace)s?(\[\])?$`)

// namedByText are the kinds that the platform names by a text.
var namedByText = regexp.MustCompile(`^(bucket|namespace)s?$`)

// notRoots are the fields that are called so and name no root resource, and why.
var notRoots = map[string]string{
	"id":                 "a filter of a list, which shows what is approved only, or the own id",
	"template":           "a template is no kind of resource that is approved",
	"rule_id":            "of the platform's own WAF rules",
	"dataset_id":         "of a foreign service",
	"project_id":         "of a foreign service",
	"table_id":           "of a foreign service",
	"workspace_id":       "of a foreign service",
	"order":              "child resources of the root that the path names",
	"aws_access_key_id":  "a foreign credential's name",
	"domain":             "a domain name",
	"functions":          "a switch of a module, or ids below the root of the path",
	"waf":                "a switch of a module",
	"empresa_id":         "the company, which is chosen before the scope is judged",
	"database_id":        "the root of the path",
	"continuation_token": "no id",
}

// TestEveryFieldThatNamesARootIsDeclared: an id in a body would otherwise reach
// what the link may not touch.
func TestEveryFieldThatNamesARootIsDeclared(t *testing.T) {
	seen := 0
	for area, tools := range everyTool(t) {
		for _, tool := range tools {
			if !tool.Writes() {
				continue
			}
			for path, kinds := range fields(t, tool.Input.Full) {
				last := strings.TrimSuffix(path[strings.LastIndexByte(path, '.')+1:], "[]")
				inPath := slices.ContainsFunc(tool.Binding.Params, func(p catalog.Param) bool { return p.Arg == path && p.In == catalog.Path })
				isID := strings.Contains(kinds, "integer") || strings.HasSuffix(last, "_id") || namedByText.MatchString(last)
				if inPath || !isID || !namesResource.MatchString(path) {
					continue
				}
				declared := slices.ContainsFunc(tool.Refs, func(r catalog.Ref) bool { return r.Path == path || r.Path == path+"[]" })
				if seen++; !declared && notRoots[last] == "" {
					t.Errorf("%s: %s names %s (%s): declare x-mcp: {root: …}, or say in notRoots why it is none", area, tool.Name, path, kinds)
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d such fields were found: this shows nothing", seen)
	}
}

// TestTheKindsOfDeclaredRootsExist: a misspelt kind would restrict nothing.
func TestTheKindsOfDeclaredRootsExist(t *testing.T) {
	for area, tools := range everyTool(t) {
		for _, tool := range tools {
			for _, ref := range tool.Refs {
				if ref.Kind != catalog.EveryKind && !slices.Contains(roots, ref.Kind) || ref.Field != "" && len(ref.Values) == 0 {
					t.Errorf("%s: %s names at %s a %q of %q", area, tool.Name, ref.Path, ref.Kind, ref.Values)
				}
			}
		}
	}
}

// thirdParties are names of fields whose texts the contract (§5) calls somebody
// else's, wherever they stand in an answer.
var thirdParties = regexp.MustCompile(`(^|[._])(code|rows|columns|rdata|comments?|description|data_set|content|body|html)$`)

// ownWords are the ends of paths that are called so and are not, and why.
var ownWords = map[string]string{
	"pages[].code": "the HTTP status that the page is for",
	"status_code":  "a number",
}

func isOwn(tool *catalog.Tool, path string) bool {
	for end := range ownWords {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	// What a report shows, in the words of the platform's dashboards.
	return strings.HasSuffix(path, "description") && (strings.HasSuffix(tool.Name, "_report") || strings.HasSuffix(tool.Name, "_reports"))
}

// TestWhatThirdPartiesWriteIsWrapped over all answers, so that a new tool cannot
// forget it.
func TestWhatThirdPartiesWriteIsWrapped(t *testing.T) {
	seen := 0
	for area, tools := range everyTool(t) {
		for _, tool := range tools {
			if tool.Binding.Content && !slices.Contains(tool.Untrusted, "data") {
				t.Errorf("%s: %s answers a content and does not wrap it", area, tool.Name)
			}
			if tool.Output == nil {
				continue
			}
			for path := range fields(t, tool.Output.Full) {
				if !thirdParties.MatchString(path) {
					continue
				}
				wrapped := slices.ContainsFunc(tool.Untrusted, func(u string) bool {
					return u == path || strings.HasPrefix(path, u+".") || strings.HasPrefix(path, u+"[")
				})
				if seen++; !wrapped && !isOwn(tool, path) {
					t.Errorf("%s: %s answers %s unwrapped: declare untrusted, or say in ownWords why it is not", area, tool.Name, path)
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d such fields were found: this shows nothing", seen)
	}
}
