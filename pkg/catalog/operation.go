package catalog

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/pkg/catalog/internal/shape"
)

// NamePattern is what tool names look like: what model providers take, with room
// for the prefix that clients put before it (bug bank: 64 characters in all).
const NamePattern = `^[a-zA-Z0-9_-]{1,44}$`

var toolName = regexp.MustCompile(NamePattern)

// operation is one operation on its way to a tool.
type operation struct {
	src    *source
	in     *shape.Builder
	out    *shape.Builder
	path   string
	method string
	item   *openapi3.PathItem
	spec   *openapi3.Operation
	rules  rules
	faults *faults

	tool   *Tool
	params []param
	body   *shape.Shape // nil: no body
	answer *shape.Shape // nil: no JSON answer
	own    *shape.Shape // the tool's own arguments, once known
	// bare is own without the body, and either tells both, where the body may be
	// left out; else nil.
	bare, either *shape.Shape
	creator      *operation   // what makes the resources of this collection; nil: nothing
	creators     []*operation // of the same document
	told         map[string]string
}

// param is a parameter with the shape of its value.
type param struct {
	Param
	shape *shape.Shape
}

// complain records a fault of this operation at a key below it.
func (o *operation) complain(message string, keys ...string) {
	way := append([]string{"paths", o.path, strings.ToLower(o.method)}, keys...)
	o.faults.add(DocumentFault{
		File: o.src.file, Line: o.src.line(way...), Operation: o.name(),
		Key: strings.Join(keys, "."), Message: message,
	})
}

func (o *operation) name() string {
	if o.spec.OperationID != "" {
		return o.spec.OperationID
	}
	return o.method + " " + o.path
}

// operations lists a document's operations by path and method.
func operations(src *source, found *faults) []*operation {
	var named openapi3.Schemas
	if src.spec.Components != nil {
		named = src.spec.Components.Schemas
	}
	in, out := shape.NewBuilder(shape.In, named), shape.NewBuilder(shape.Out, named)
	items := src.spec.Paths.Map()
	var all []*operation
	for _, path := range slices.Sorted(maps.Keys(items)) {
		if items[path] == nil {
			continue
		}
		byMethod := items[path].Operations()
		for _, method := range slices.Sorted(maps.Keys(byMethod)) {
			all = append(all, &operation{
				src: src, in: in, out: out, path: path, method: strings.ToUpper(method),
				item: items[path], spec: byMethod[method], faults: found,
			})
		}
	}
	return all
}

// read turns the operation into a tool, apart from what follows from others.
func (o *operation) read(options Options) {
	switch id := o.spec.OperationID; {
	case id == "":
		o.complain("is missing: it becomes the tool's name", "operationId")
	case !toolName.MatchString(id):
		o.complain(fmt.Sprintf("%q cannot be a tool's name: 1 to 44 letters, digits, _ and - are taken", id), "operationId")
	}
	o.rules = readRules(o.spec.Extensions["x-mcp"], func(key, message string) {
		if key == "" {
			o.complain(message, "x-mcp")
			return
		}
		o.complain(message, "x-mcp", key)
	})
	for _, p := range o.rules.profiles {
		if options.Profiles != nil && !slices.Contains(options.Profiles, p) {
			o.complain(fmt.Sprintf("%s is no profile of this area; these are: %s", p, strings.Join(options.Profiles, ", ")), "x-mcp", "profiles")
		}
	}
	o.tool = o.rules.tool(o.spec)
	o.tool.Area, o.tool.Company = options.Area, true
	o.tool.Binding = &Binding{Method: o.method, Path: o.path, Accepts: "application/json"}
	o.security()
	o.parameters()
	o.requestBody()
	o.answers()
	o.server()
	o.foreign()
	for _, builder := range []*shape.Builder{o.in, o.out} {
		for _, f := range builder.Finish() {
			file := f.File
			if file == "" {
				file = o.src.file
			}
			o.faults.add(DocumentFault{File: file, Line: f.Line, Operation: o.name(), Message: f.Message})
		}
	}
}

// tool takes over what x-mcp says.
func (r *rules) tool(spec *openapi3.Operation) *Tool {
	t := &Tool{
		Name: spec.OperationID, Title: title(r.title, spec), Description: description(spec),
		Profiles: slices.Sorted(slices.Values(r.profiles)), Effect: r.effect, OpenWorld: r.openWorld,
		Root: r.root.kind, Approval: r.approval, Operation: r.operation,
		Limits: r.limits, Untrusted: r.untrusted, Secrets: r.secrets, ShownOnce: r.shownOnce, Admin: r.admin, Never: r.never,
		Command: r.command, Long: r.long, Unless: r.unless,
	}
	if t.Effect == "" {
		t.Effect = Destructive
	}
	return t
}

func title(said string, spec *openapi3.Operation) string {
	switch {
	case said != "":
		return said
	case spec.Summary != "":
		return strings.TrimSuffix(shape.Summary(spec.Summary, 80), ".")
	}
	words := strings.ReplaceAll(spec.OperationID, "_", " ")
	return strings.ToUpper(words[:min(1, len(words))]) + words[min(1, len(words)):]
}

// maxDescription bounds a tool's description in characters; models read them all.
const maxDescription = 900

func description(spec *openapi3.Operation) string {
	text := shape.Summary(spec.Description, maxDescription)
	if text == "" {
		text = shape.Summary(spec.Summary, maxDescription)
	}
	if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") && !strings.HasSuffix(text, "…") {
		text += "."
	}
	if spec.Deprecated {
		text = strings.TrimSpace(text + " Deprecated.")
	}
	return text
}
