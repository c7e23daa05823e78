package catalog_test

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

func replace(text, old, new string) string { return strings.ReplaceAll(text, old, new) }

// operation is one good operation whose x-mcp is given.
func operation(xmcp string) string {
	return `
  /things/{thing_id}:
    get:
      operationId: retrieve_thing
      description: d
      x-mcp: {effect: read}
      parameters: [{name: thing_id, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: ok, content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}}
    post:
      operationId: touch_thing
      description: d
      x-mcp: ` + xmcp + `
      parameters: [{name: thing_id, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: ok, content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}}
`
}

func loadError(t testing.TB, files map[string]string, o catalog.Options) string {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	_, err := catalog.Load(fsys, o)
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestWrongRulesAreNamedWithTheirPlace(t *testing.T) {
	for _, c := range []struct{ name, xmcp, want string }{
		{"no effect", "{admin: true}", "doc.yaml:14: touch_thing: x-mcp.effect: is missing: read, write or destructive"},
		{"no x-mcp", "", "doc.yaml:14: touch_thing: x-mcp: is missing"},
		{"an unknown effect", "{effect: reed}", "doc.yaml:14: touch_thing: x-mcp.effect: must be read or write or destructive"},
		{"an unknown key", "{effect: write, efect: x}", "doc.yaml:14: touch_thing: x-mcp.efect: unknown key"},
		{"a profile the area has not", "{effect: write, profiles: [nope]}", "doc.yaml:14: touch_thing: x-mcp.profiles: nope is no profile of this area; these are: known"},
		{"a wrong type", "{effect: write, admin: yes please}", "x-mcp.admin: must be true or false"},
		{"a wrong list", "{effect: write, limits: dns}", "x-mcp.limits: must be a list of texts"},
		{"a find that names no tool", "{effect: write, find: {list: list_thongs, by: thing_id}}", "x-mcp.find.list: there is no tool list_thongs"},
		{"a find that names no list", "{effect: write, find: {list: retrieve_thing, by: thing_id}}", "x-mcp.find.list: retrieve_thing is no list"},
		{"a find by no argument", "{effect: write, find: {list: retrieve_thing, by: colour}}", "x-mcp.find.by: colour is no argument"},
		{"an unknown key deeper down", "{effect: write, find: {lst: x}}", "x-mcp.find: unknown key lst"},
		{"a probe that is not there", "{effect: write, operation: {probe: look}}", "x-mcp.operation.probe: there is no tool look"},
		{"a retrieve that writes", "{effect: write, retrieve: touch_thing}", "x-mcp.retrieve: touch_thing does not only read"},
		{"a root the path does not name", "{effect: write, root: zone}", "x-mcp.root: no path parameter names a zone (thing_id were looked at)"},
		{"a path to nowhere", "{effect: write, untrusted: [data.nmae]}", "x-mcp.untrusted: data.nmae leads to nothing"},
		{"a confirmation nobody knows", "{effect: write, confirm: maybe}", "x-mcp.confirm: must be name, true, false or {unless, arg}"},
		{"an exception by an unknown rule", "{effect: write, confirm: {unless: luck, arg: thing_id}}", "x-mcp.confirm: unless must be sql-read"},
		{"an exception by no argument", "{effect: write, confirm: {unless: sql-read, arg: sql}}", "x-mcp.confirm: must name a rule (unless) and the argument"},
		{"an end that no probe shows", "{effect: write, operation: {probe: retrieve_thing, until: {field: status, ok: [done]}}}", "x-mcp.operation.until.field: status leads to nothing"},
		{"an end without a good one", "{effect: write, operation: {probe: retrieve_thing, until: {field: name}}}", "x-mcp.operation.until: must name the field and the values"},
		{"a type of bytes that are not sent", "{effect: write, content_type: thing_id}", "x-mcp.content_type: must name the argument"},
		{"an approval nobody gives", "{effect: write, approval: robot}", "x-mcp.approval: must be human"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := loadError(t, map[string]string{"doc.yaml": document(operation(c.xmcp), "")}, catalog.Options{Profiles: []string{"known"}})
			if !strings.Contains(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestAllFaultsComeAtOnce(t *testing.T) {
	got := loadError(t, map[string]string{
		"a.yaml": document(operation("{effect: write, bad: 1, worse: 2}"), ""),
		"b.yaml": "openapi: 3.0.0\n  broken: [",
		"c.yaml": document(replace(operation("{}"), "touch_thing", "touch thing"), ""),
	}, catalog.Options{})
	for _, want := range []string{"a.yaml:14: touch_thing: x-mcp.bad", "a.yaml:14: touch_thing: x-mcp.worse", "b.yaml:2: broken YAML", `c.yaml:12: touch thing: operationId: "touch thing" cannot be`, "x-mcp.effect: is missing", "is also the name of GET"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
}

func TestBrokenDocumentsAreNamed(t *testing.T) {
	good := operation("{effect: write}")
	for _, c := range []struct{ name, text, want string }{
		{"no operation id", document(replace(good, "operationId: touch_thing", "summary: x"), ""), "POST /things/{thing_id}: operationId: is missing"},
		{"a name with dots", document(replace(good, "touch_thing", "edge.rules.create"), ""), `operationId: "edge.rules.create" cannot be a tool's name`},
		{"a name of 45 letters", document(replace(good, "touch_thing", strings.Repeat("a", 45)), ""), "cannot be a tool's name"},
		{"two operations with one name", document(replace(good, "touch_thing", "retrieve_thing"), ""), `doc.yaml:12: invalid paths: operations "GET /things/{thing_id}" and "POST /things/{thing_id}" have the same operation id`},
		{"a parameter that the path does not declare", document(replace(good, "parameters: [{name: thing_id, in: path, required: true, schema: {type: integer}}]", "tags: [x]"), ""), "thing_id"},
		{"a broken $ref", document(replace(good, "schema: {type: object, properties: {name: {type: string}}}", "schema: {$ref: '#/components/schemas/Lost'}"), ""), "doc.yaml:10: retrieve_thing: $ref: #/components/schemas/Lost: leads nowhere"},
		{"a $ref into a file that is not there", document(replace(good, "schema: {type: object, properties: {name: {type: string}}}", "schema: {$ref: 'other.yaml#/A'}"), ""), "other.yaml#/A: leads nowhere"},
		{"a $ref to the web", document(replace(good, "schema: {type: object, properties: {name: {type: string}}}", "schema: {$ref: 'http://127.0.0.1:1/a.yaml#/A'}"), ""), "leads nowhere"},
		{"a $ref out of the folder", document(replace(good, "schema: {type: object, properties: {name: {type: string}}}", "schema: {$ref: '../../../../etc/passwd'}"), ""), "leads nowhere"},
		{"references in a circle", document(good, "    A: {$ref: '#/components/schemas/B'}\n    B: {$ref: '#/components/schemas/A'}\n"), "leads in a circle of references"},
		{"allOf in a circle", document(replace(good, "{type: object, properties: {name: {type: string}}}", "{$ref: '#/components/schemas/A'}"), "    A: {allOf: [{$ref: '#/components/schemas/B'}]}\n    B: {allOf: [{$ref: '#/components/schemas/A'}]}\n"), "retrieve_thing: schema A: allOf contains itself"},
		{"a key said twice", document(replace(good, "description: d", "description: d\n      description: e"), ""), "said twice"},
		{"no document at all", "just: words\n", "doc.yaml:1: openapi: is missing"},
		{"a list", "- a\n", "is no OpenAPI document"},
		{"nothing", "", "is no OpenAPI document"},
		{"an alias that contains itself", "openapi: 3.0.0\nx: &a [*a]\n", "doc.yaml"},
		{"cookies only", document(replace(good, "      x-mcp: {effect: write}", "      x-mcp: {effect: write}\n      security: [{cookie: []}]"), ""), "touch_thing: security: no way of signing in"},
		{"a common argument's name", document(replace(good, "/things/{thing_id}", "/things/{empresa_id}"), ""), "empresa_id"},
		{"a wrong x-mcp at the top", "x-mcp: {sever: own}\n" + document(good, ""), "doc.yaml:1: x-mcp: at the top of a document only {server: own} is taken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := loadError(t, map[string]string{"doc.yaml": c.text}, catalog.Options{})
			if !strings.Contains(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// recursions are the shapes that once overflowed a stack (bug bank B52), and a
// few that unfold without end.
func recursions() map[string]string {
	out := map[string]string{
		"self":                 "    A: {type: object, properties: {a: {$ref: '#/components/schemas/A'}}}\n",
		"mutual":               "    A: {type: object, properties: {b: {$ref: '#/components/schemas/B'}}}\n    B: {type: array, items: {$ref: '#/components/schemas/A'}}\n",
		"through allOf":        "    A: {type: object, properties: {c: {allOf: [{$ref: '#/components/schemas/A'}, {type: object, properties: {d: {type: string}}}]}}}\n",
		"through a free map":   "    A: {type: object, additionalProperties: {$ref: '#/components/schemas/A'}}\n",
		"through alternatives": "    A: {oneOf: [{type: string}, {type: object, properties: {a: {$ref: '#/components/schemas/A'}}}]}\n",
		"everything at once": `    A:
      allOf: [{$ref: '#/components/schemas/B'}]
      anyOf: [{type: object, properties: {x: {$ref: '#/components/schemas/A'}}}, {type: object, properties: {x: {$ref: '#/components/schemas/B'}}}]
    B:
      type: object
      properties: {y: {allOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}}
      additionalProperties: {allOf: [{$ref: '#/components/schemas/A'}, {nullable: true}]}
`,
	}
	var wide strings.Builder
	wide.WriteString("    A: {$ref: '#/components/schemas/S0'}\n")
	for i := range 40 {
		fmt.Fprintf(&wide, "    S%d: {type: object, properties: {a: {$ref: '#/components/schemas/S%d'}, b: {allOf: [{$ref: '#/components/schemas/S%d'}, {$ref: '#/components/schemas/S%d'}]}}}\n", i, (i+1)%40, (i+7)%40, (i+11)%40)
	}
	out["forty that know each other"] = wide.String()
	var choices strings.Builder
	choices.WriteString("    A: {$ref: '#/components/schemas/L0'}\n")
	for level := range 4 {
		fmt.Fprintf(&choices, "    L%d:\n      oneOf:\n", level)
		for i := range 30 {
			fmt.Fprintf(&choices, "        - {type: object, properties: {p%d_%d: {type: string}}, allOf: [{$ref: '#/components/schemas/L%d'}]}\n", level, i, level+1)
		}
	}
	choices.WriteString("    L4: {type: object, properties: {end: {type: string}}}\n")
	out["alternatives of alternatives"] = choices.String()
	return out
}

func TestRecursiveDocumentsLoadWithinTwoSeconds(t *testing.T) {
	paths := `
  /things:
    post:
      operationId: make_thing
      description: d
      x-mcp: {effect: write}
      requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {value: {$ref: '#/components/schemas/A'}}}}}}
      responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}
`
	for name, schemas := range recursions() {
		t.Run(name, func(t *testing.T) {
			done := make(chan error, 1)
			before := cpuTime(t)
			go func() {
				c, err := catalog.Load(fstest.MapFS{"doc.yaml": {Data: []byte(document(paths, schemas))}}, catalog.Options{})
				if err == nil {
					err = errors.Join(catalog.Lint(c.Tools())...)
				}
				done <- err
			}()
			select {
			case err := <-done:
				if err != nil && !strings.Contains(err.Error(), "doc.yaml:") {
					t.Error(err)
				}
			case <-time.After(30 * time.Second):
				t.Fatal("still loading")
			}
			// Processor time, so that a busy machine makes no difference.
			if spent := cpuTime(t) - before; spent > 2*time.Second {
				t.Errorf("loading took %v", spent)
			}
		})
	}
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
