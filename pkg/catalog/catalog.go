package catalog

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Catalog is one area's tools, ordered by name. It is read-only.
type Catalog struct {
	documents []*Document
	tools     []*Tool
	never     []*Tool
	byName    map[string]*Tool
}

// Document is one OpenAPI document of an area.
type Document struct {
	File string
	Spec *openapi3.T
}

// Options says for whom documents are loaded.
type Options struct {
	Area     string
	Profiles []string    // the profile names that documents may use; nil: any
	Policy   []PolicyRow // an operator's changes; an unknown tool is an error
	Others   []string    // hand-written tools, which Policy may name too; see ApplyPolicy
	Strict   bool        // the shipped strict policy: what needs a person's yes becomes never
}

// Load reads every *.yaml of the file system, folders included. An error lists
// every fault (see DocumentFault) with file:line, operation and key.
func Load(fsys fs.FS, o Options) (*Catalog, error) {
	documents := read(fsys)
	found := &faults{list: slices.Clone(documents.faults)}
	c := &Catalog{byName: map[string]*Tool{}}
	var all []*operation
	for _, src := range documents.sources {
		c.documents = append(c.documents, &Document{File: src.file, Spec: src.spec})
		all = append(all, operations(src, found)...)
	}
	for _, op := range all {
		op.read(o)
	}
	unique(all)
	if err := found.err(); err != nil {
		return nil, err // what follows would only repeat these faults in other words
	}
	for _, op := range all {
		op.list()
		op.flatten()
	}
	r := relate(all)
	for _, op := range all {
		r.derive(op)
	}
	for _, op := range all {
		r.check(op)
		op.reserved()
	}
	if err := found.err(); err != nil {
		return nil, err
	}
	tools := make([]*Tool, 0, len(all))
	for _, op := range all {
		op.marks()
		tools = append(tools, op.tool)
	}
	if err := apply(tools, o.policy(tools), o.Others); err != nil {
		return nil, err
	}
	for _, op := range all {
		op.schemas()
	}
	c.add(tools)
	return c, nil
}

// Tools are the tools that agents may call, by name.
func (c *Catalog) Tools() []*Tool { return c.tools }

// Never are the tools that no agent may call, by name.
func (c *Catalog) Never() []*Tool { return c.never }

// Tool finds a tool by name, those of Never included: what runs on behalf of
// other tools (a probe, a list to look at) may be one that no agent calls.
func (c *Catalog) Tool(name string) (*Tool, bool) {
	t, ok := c.byName[name]
	return t, ok
}

// Documents are the OpenAPI documents that the tools come from, by file name.
func (c *Catalog) Documents() []*Document { return c.documents }

func (c *Catalog) add(tools []*Tool) {
	slices.SortFunc(tools, func(a, b *Tool) int { return cmp.Compare(a.Name, b.Name) })
	for _, t := range tools {
		c.byName[t.Name] = t
		if t.Never != "" {
			c.never = append(c.never, t)
		} else {
			c.tools = append(c.tools, t)
		}
	}
}

// unique refuses two operations with one name, over all documents.
func unique(all []*operation) {
	first := map[string]*operation{}
	for _, o := range all {
		id := o.spec.OperationID
		if id == "" {
			continue
		}
		if other, taken := first[id]; taken {
			o.complain("is also the name of "+other.method+" "+other.path+" in "+other.src.file, "operationId")
			continue
		}
		first[id] = o
	}
}

// reserved refuses arguments with the name of a common one.
func (o *operation) reserved() {
	for _, name := range commonNames(o.tool) {
		if _, taken := o.own.Prop(name); taken {
			o.complain(name+" is the name of a common argument; the document's own needs another", "parameters")
		}
	}
}

// marks adds the places that properties are marked at to those that x-mcp lists.
func (o *operation) marks() {
	secrets, untrusted := o.own.Marked()
	if o.answer != nil {
		answer := asObject(o.answer)
		s, u := answer.Marked()
		secrets, untrusted = append(secrets, s...), append(untrusted, u...)
		o.tool.ShownOnce = together(o.tool.ShownOnce, answer.ShownOnce())
		o.tool.Addresses = together(o.own.Addresses(), answer.Addresses())
	}
	for _, r := range o.own.References() {
		o.tool.Refs = append(o.tool.Refs, Ref{Path: r.Path, Kind: r.Kind, Field: r.Field, Values: r.Values, All: r.All})
	}
	o.tool.Secrets = together(together(o.tool.Secrets, secrets), o.tool.ShownOnce)
	o.tool.Untrusted = together(o.tool.Untrusted, untrusted)
}

func together(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// schemas renders the schemas, once the policy has settled what is asked for.
func (o *operation) schemas() {
	t := o.tool
	if t.Input = inputSchema(t, o.own, o.elsewhere()); o.bare != nil {
		t.Input.bare, t.Input.body = o.bare, t.Binding.Body.Fields
		t.Input.Full = o.either.Full(commonProps(t))
	}
	if o.answer != nil {
		t.Output = outputSchema(asObject(o.answer), slices.Concat(t.Untrusted, t.Secrets))
	}
	if len(t.ShownOnce) > 0 {
		t.Description = strings.TrimSpace(t.Description + " The secret is kept for the person: give them the address that stands in its place.")
	}
	t.Description = strings.TrimSpace(t.Description + t.manner())
}

// manner is what follows from a tool's nature and the policy, so that no document
// says it; Guide says what it means.
func (t *Tool) manner() string {
	switch {
	case t.Approval == HumanApproval:
		return " A person must agree; answers an operation."
	case t.Operation != nil:
		return " Answers an operation."
	}
	return ""
}

// elsewhere points from what changes a resource to what creates it, so that a list
// which has both tells what is inside an argument once.
func (o *operation) elsewhere() func(argument, line string) string {
	var tellers []*operation
	if o.creator != nil && o.creator != o {
		tellers = append(tellers, o.creator)
	}
	for _, other := range o.creators {
		if o.tool.Creates && other.tool.Name < o.tool.Name {
			tellers = append(tellers, other)
		}
	}
	tellers = slices.DeleteFunc(tellers, func(t *operation) bool { return !t.tool.besides(o.tool) })
	return func(argument, line string) string {
		for _, t := range tellers {
			if t.lines()[argument] == line {
				return "See " + t.tool.Name
			}
		}
		return ""
	}
}

// lines are what the operation's arguments are told by, made once.
func (o *operation) lines() map[string]string {
	if o.told == nil {
		o.told = o.own.Lines()
	}
	return o.told
}

// besides reports whether every list that has other has t as well.
func (t *Tool) besides(other *Tool) bool {
	for _, p := range other.Profiles {
		if !slices.Contains(t.Profiles, p) {
			return false
		}
	}
	return t.Never == "" && t.Writes() == other.Writes() && (!t.Admin || other.Admin)
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func compareText(a, b string) int { return cmp.Compare(a, b) }

// whole reads an integer that was checked; beyond 64 bits it is the nearest one.
func whole(v any) int64 {
	n, _ := v.(json.Number)
	i, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil && strings.HasPrefix(string(n), "-") {
		return math.MinInt64
	}
	return i
}
