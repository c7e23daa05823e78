package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// related is the operations of an area by what they stand for: what follows from
// the paths is found here.
type related struct {
	byPlace map[string]*operation // "GET /applications/{}"
	byName  map[string]*operation
}

func relate(all []*operation) *related {
	r := &related{byPlace: map[string]*operation{}, byName: map[string]*operation{}}
	for _, o := range all {
		r.byPlace[o.method+" "+place(o.path)] = o
		r.byName[o.tool.Name] = o
	}
	return r
}

// place is a path whose parameters have no names: {id} and {zone_id} are the same.
func place(path string) string {
	return templated.ReplaceAllString(strings.TrimSuffix(path, "/"), "{}")
}

func (r *related) get(place string) *operation { return r.byPlace["GET "+place] }

// derive fills in what x-mcp leaves to the paths and methods.
func (r *related) derive(o *operation) {
	t, at := o.tool, place(o.path)
	t.Idempotent = o.method != "POST"
	if o.rules.idempotent != nil {
		t.Idempotent = *o.rules.idempotent
	}
	clone := strings.HasSuffix(at, "/clone")
	collection := strings.TrimSuffix(strings.TrimSuffix(at, "/clone"), "/{}")
	if o.method == "POST" && t.Writes() {
		makes := !strings.HasSuffix(at, "}") && (r.listAt(at) != nil || r.get(at+"/{}") != nil)
		t.Creates = makes || clone || o.rules.find != nil
	}
	o.creator = r.byPlace["POST "+collection]
	for _, name := range sortedNames(r.byName) {
		if other := r.byName[name]; other.src == o.src && other.method == "POST" && other != o {
			o.creators = append(o.creators, other)
		}
	}
	r.find(o, collection)
	switch same := r.get(at); {
	case o.rules.retrieve != nil:
		t.Retrieve = *o.rules.retrieve
	case t.Writes() && same != nil && same.tool.List == nil:
		t.Retrieve = same.tool.Name
	}
	if t.Operation != nil && t.Operation.Probe == "" {
		if made := r.get(collection + "/{}"); t.Creates && made != nil {
			t.Operation.Probe = made.tool.Name
		} else if !t.Creates {
			t.Operation.Probe = t.Retrieve
		}
	}
	r.root(o, collection)
	o.confirm()
}

// listAt is the list tool at a place; nil where there is none.
func (r *related) listAt(place string) *operation {
	if o := r.get(place); o != nil && o.tool.List != nil {
		return o
	}
	return nil
}

// find completes how to see whether a create took effect.
func (r *related) find(o *operation, collection string) {
	if !o.tool.Creates {
		return
	}
	find := Find{}
	if o.rules.find != nil {
		find = *o.rules.find
	}
	if list := r.listAt(collection); find.List == "" && list != nil {
		find.List = list.tool.Name
	}
	if _, named := o.own.Prop("name"); len(find.By) == 0 && (named || slices.Contains(o.own.Fields(), "name")) {
		find.By = []Match{{Arg: "name", Field: "name"}}
	}
	switch {
	case find.List != "" && len(find.By) > 0:
		o.tool.Find = &find
	case o.rules.find != nil && find.List == "":
		o.complain("names no list, and none stands at the same path", "x-mcp", "find", "list")
	case o.rules.find != nil:
		o.complain("names no field, and there is no argument called name", "x-mcp", "find", "by")
	}
}

// root finds the argument that holds the id of an approved resource, and the
// field of a listed or created one that does.
func (r *related) root(o *operation, collection string) {
	t, rule := o.tool, o.rules.root
	t.Every = o.rules.every
	if rule.kind == "" {
		return
	}
	if t.RootArg = rule.arg; t.RootArg == "" {
		t.RootArg = o.rootArg()
	}
	t.RootField = rule.field
	makesRoot := t.Creates && len(o.pathParams()) <= 1 // a clone names one root and makes another
	clone := makesRoot && strings.HasSuffix(o.path, "/clone")
	if clone {
		t.Every = together(t.Every, []string{t.Root}) // what it makes is none of certain ones
	}
	if t.RootField == "" && (t.RootArg == "" || clone) {
		t.RootField = r.rootField(rule.kind, collection)
	}
}

// rootArg is the path parameter whose name begins with the root's: application_id.
func (o *operation) rootArg() string {
	kind, params := o.rules.root.kind, o.pathParams()
	for _, p := range o.params {
		if p.In == Path && (p.Name == kind || strings.HasPrefix(p.Name, kind+"_")) {
			return p.Arg
		}
	}
	if len(params) == 1 && slices.Contains([]string{"id", "uuid", "name", "key"}, params[0]) {
		return params[0]
	}
	if len(params) > 0 {
		o.complain(fmt.Sprintf("no path parameter names a %s (%s were looked at); say root: {kind: %s, arg: …}",
			kind, strings.Join(params, ", "), kind), "x-mcp", "root")
	}
	return ""
}

// rootField is what the parameter of one item is called without the kind:
// bucket_name is the field name, application_id the field id.
func (r *related) rootField(kind, collection string) string {
	item := r.get(collection + "/{}")
	if item == nil {
		return "id"
	}
	params := item.pathParams()
	last := params[len(params)-1]
	if rest, ok := strings.CutPrefix(last, kind+"_"); ok && rest != "" {
		return rest
	}
	if slices.Contains([]string{"uuid", "name", "key"}, last) {
		return last
	}
	return "id"
}

// confirm applies contract §5's defaults to deletions that say nothing: the exact
// name for a root resource, a plain yes for the rest.
func (o *operation) confirm() {
	t := o.tool
	switch params := o.pathParams(); {
	case o.rules.confirm != nil:
		t.Confirm = *o.rules.confirm
	case o.method != "DELETE" || !t.Writes():
	case t.RootArg != "" && len(params) == 1 && strings.HasSuffix(o.path, "}"):
		t.Confirm = ConfirmName
	default:
		t.Confirm = ConfirmTrue
	}
}

// check verifies that what x-mcp names exists.
func (r *related) check(o *operation) {
	t := o.tool
	if t.Effect == Read && (o.method == "PUT" || o.method == "PATCH" || o.method == "DELETE") {
		o.complain(o.method+" cannot be a read", "x-mcp", "effect")
	}
	if o.rules.find != nil && o.method != "POST" && o.method != "PUT" {
		o.complain("is for tools that create something", "x-mcp", "find")
	}
	if f := t.Find; f != nil {
		if list := r.byName[f.List]; list == nil {
			o.complain(fmt.Sprintf("there is no tool %s", f.List), "x-mcp", "find", "list")
		} else if list.tool.List == nil {
			o.complain(fmt.Sprintf("%s is no list that comes in pages", f.List), "x-mcp", "find", "list")
		} else if f.Filter != "" && !list.queries(f.Filter) {
			o.complain(fmt.Sprintf("%s is no query parameter of %s", f.Filter, f.List), "x-mcp", "find", "filter")
		}
		for _, match := range f.By {
			if !slices.Contains(o.own.Fields(), match.Arg) {
				o.complain(fmt.Sprintf("%s is no argument of this tool", match.Arg), "x-mcp", "find", "by")
			}
		}
	}
	if t.Unless != nil && (t.Unless.Rule == "" || !slices.Contains(o.own.Fields(), t.Unless.Arg)) {
		o.complain("must name a rule (unless) and the argument it looks at (arg)", "x-mcp", "confirm")
	}
	r.until(o)
	if kind := o.rules.contentType; kind != "" {
		if body := t.Binding.Body; body == nil || !body.Bytes || !slices.Contains(o.own.Fields(), kind) {
			o.complain("must name the argument that says of which type a body of bytes is", "x-mcp", "content_type")
		} else {
			body.TypeArg = kind
		}
	}
	r.reads(o, t.Retrieve, "x-mcp", "retrieve")
	if t.Operation != nil {
		r.reads(o, t.Operation.Probe, "x-mcp", "operation", "probe")
	}
	if t.RootArg != "" && !slices.Contains(o.own.Fields(), t.RootArg) {
		o.complain(fmt.Sprintf("%s is no argument of this tool", t.RootArg), "x-mcp", "root", "arg")
	}
	for _, path := range o.rules.shownOnce {
		if o.answer != nil && !asObject(o.answer).Leads(path) {
			o.complain(fmt.Sprintf("%s leads to nothing in the answer", path), "x-mcp", "shown_once")
		}
	}
	for key, paths := range map[string][]string{"untrusted": o.rules.untrusted, "secrets": o.rules.secrets} {
		for _, path := range paths {
			inAnswer := o.answer == nil || asObject(o.answer).Leads(path)
			if !inAnswer && !o.own.Leads(path) {
				o.complain(fmt.Sprintf("%s leads to nothing in the answer or the arguments", path), "x-mcp", key)
			}
		}
	}
}

// until verifies that the end of an operation can be seen at all.
func (r *related) until(o *operation) {
	op := o.tool.Operation
	if op == nil || op.Until == nil {
		return
	}
	probe := r.byName[op.Probe]
	switch {
	case op.Until.Field == "" || len(op.Until.OK) == 0:
		o.complain("must name the field and the values with which it is done (ok)", "x-mcp", "operation", "until")
	case probe == nil:
		o.complain("needs a probe, which shows the field", "x-mcp", "operation", "until")
	case probe.answer != nil && !asObject(probe.answer).Leads(op.Until.Field):
		o.complain(fmt.Sprintf("%s leads to nothing in the answer of %s", op.Until.Field, op.Probe), "x-mcp", "operation", "until", "field")
	}
}

func (o *operation) queries(name string) bool {
	return slices.ContainsFunc(o.params, func(p param) bool { return p.In == Query && p.Name == name })
}

// reads verifies that a tool named to look at the resource exists and reads.
func (r *related) reads(o *operation, name string, keys ...string) {
	if name == "" {
		return
	}
	switch found := r.byName[name]; {
	case found == nil:
		o.complain(fmt.Sprintf("there is no tool %s", name), keys...)
	case found.tool.Writes():
		o.complain(fmt.Sprintf("%s does not only read", name), keys...)
	}
}
