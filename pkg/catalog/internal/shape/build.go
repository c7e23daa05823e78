package shape

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Mode is the direction in which values travel.
type Mode uint8

const (
	In  Mode = iota // arguments: checked in full, readOnly fields left out
	Out             // answers: open, writeOnly fields left out, nothing required
)

// maxShapes bounds what one document may unfold to, in each direction. The
// largest API known to the authors makes 1 600.
const maxShapes = 8_000

// maxParts bounds the schemas that one allOf may bring together, nested ones included.
const maxParts = 40

// maxBranches bounds the alternatives of one schema.
const maxBranches = 64

// Fault is what is wrong with a schema of a document.
type Fault struct {
	File    string
	Line    int // 0: unknown
	Message string
}

// Builder reads schemas of one document into shapes. The same schema gives the
// same shape, so that shared and recursive schemas cost once.
type Builder struct {
	mode   Mode
	named  openapi3.Schemas
	ids    map[*openapi3.Schema]int
	shapes map[string]*Shape
	todo   []task
	faults []Fault
	// unions are the shapes that have branches, in the order of their making.
	unions []origin
	// examples are the shapes whose example was made for agents.
	examples []origin
	full     bool // maxShapes was reached
}

// task is a shape that is promised and not yet filled in.
type task struct {
	shape *Shape
	parts []part
}

// part is one schema of a conjunction: all of it, or only its own keywords
// without allOf, oneOf and anyOf.
type part struct {
	ref *openapi3.SchemaRef
	as  role
}

type role uint8

const (
	whole  role = iota
	member      // of an allOf: whole, but a bare discriminator chooses nothing there
	own
)

type origin struct {
	shape  *Shape
	schema *openapi3.Schema
}

// NewBuilder reads schemas for one direction; named are the document's
// components, for discriminators that name schemas outside their oneOf.
func NewBuilder(mode Mode, named openapi3.Schemas) *Builder {
	return &Builder{mode: mode, named: named, ids: map[*openapi3.Schema]int{}, shapes: map[string]*Shape{}}
}

// Shape gives the shape of a schema. It may be used as soon as Finish was called.
func (b *Builder) Shape(ref *openapi3.SchemaRef) *Shape {
	return b.promise([]part{{ref: ref}})
}

// Finish fills in every promised shape and gives the faults of their schemas.
func (b *Builder) Finish() []Fault {
	for len(b.todo) > 0 && !b.full {
		t := b.todo[len(b.todo)-1]
		b.todo = b.todo[:len(b.todo)-1]
		b.fill(t)
	}
	b.todo = nil // where it was too much, a fault says so and nothing is used
	b.refuseEmptyCycles()
	b.settle()
	if len(b.faults) == 0 {
		b.checkExamples()
	}
	faults := b.faults
	b.faults = nil
	return faults
}

// NullIsAbsent makes null mean absent everywhere, whatever the schemas say.
func (b *Builder) NullIsAbsent() {
	for _, s := range b.shapes {
		s.Nullable = false
	}
}

// promise gives the shape of a conjunction, now or once the queue is worked off.
// Filling never recurses into properties, so depth costs no stack.
func (b *Builder) promise(parts []part) *Shape {
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.ref == nil || p.ref.Value == nil })
	key := b.key(parts)
	if s, ok := b.shapes[key]; ok {
		return s
	}
	s := fresh()
	if len(b.shapes) >= maxShapes {
		if !b.full {
			b.full = true
			b.fault(parts[0].ref.Value, "the document unfolds to more than %d schemas", maxShapes)
		}
		return s
	}
	if len(parts) > maxParts {
		b.fault(parts[0].ref.Value, "more than %d schemas would have to be merged into one", maxParts)
		return s
	}
	b.shapes[key] = s
	b.todo = append(b.todo, task{shape: s, parts: parts})
	return s
}

func (b *Builder) key(parts []part) string {
	var out strings.Builder
	seen := map[string]bool{}
	for _, p := range parts {
		id, ok := b.ids[p.ref.Value]
		if !ok {
			id = len(b.ids)
			b.ids[p.ref.Value] = id
		}
		word := strconv.Itoa(id) + "wmo"[p.as:p.as+1] + mark(p.ref)
		if !seen[word] {
			seen[word] = true
			out.WriteString(word + ",")
		}
	}
	return out.String()
}

// fill writes a promised shape: own keywords merged, alternatives promised.
func (b *Builder) fill(t task) {
	f := flattened{}
	for _, p := range t.parts {
		b.flatten(p, &f, nil)
	}
	s := t.shape
	b.merge(s, f.own)
	if len(f.choices) > 0 {
		b.alternatives(s, f)
	} else if kinds, _ := kindsOfAll(f.own); len(kinds) > 1 {
		kindBranches(s, kinds)
	}
}

// flattened is a conjunction with allOf resolved.
type flattened struct {
	own     []part
	choices []choice
}

// choice is one oneOf, anyOf or bare discriminator.
type choice struct {
	schema   *openapi3.Schema
	branches []*openapi3.SchemaRef
	as       role
}

// flatten collects what p demands. path are the schemas being flattened: meeting
// one again means that allOf contains itself.
func (b *Builder) flatten(p part, f *flattened, path []*openapi3.Schema) {
	schema := p.ref.Value
	if slices.Contains(path, schema) {
		b.fault(schema, "allOf contains itself%s", through(p.ref))
		return
	}
	f.own = append(f.own, part{ref: p.ref, as: own})
	if p.as == own {
		return
	}
	for _, m := range schema.AllOf {
		if m != nil && m.Value != nil {
			b.flatten(part{ref: m, as: member}, f, append(path[:len(path):len(path)], schema))
		}
	}
	for _, branches := range []openapi3.SchemaRefs{schema.OneOf, schema.AnyOf} {
		if len(branches) > 0 {
			f.choices = append(f.choices, choice{schema: schema, branches: branches})
		}
	}
	if p.as == whole && len(schema.OneOf)+len(schema.AnyOf) == 0 {
		if heirs := b.heirs(schema); len(heirs) > 0 {
			f.choices = append(f.choices, choice{schema: schema, branches: heirs, as: whole})
		}
	}
}

// heirs are the schemas that a discriminator without oneOf names: they build on
// the schema by allOf.
func (b *Builder) heirs(schema *openapi3.Schema) []*openapi3.SchemaRef {
	if schema.Discriminator == nil {
		return nil
	}
	var out []*openapi3.SchemaRef
	for _, value := range sortedKeys(schema.Discriminator.Mapping) {
		ref := b.component(schema.Discriminator.Mapping[value].Ref)
		if ref != nil && ref.Value != schema && !slices.ContainsFunc(out, func(o *openapi3.SchemaRef) bool { return o.Value == ref.Value }) {
			out = append(out, ref)
		}
	}
	return out
}

// component finds "#/components/schemas/Dog" or plain "Dog".
func (b *Builder) component(ref string) *openapi3.SchemaRef {
	name := ref[strings.LastIndexByte(ref, '/')+1:]
	found, ok := b.named[name]
	if !ok || found == nil || found.Value == nil {
		return nil
	}
	return &openapi3.SchemaRef{Ref: "#/components/schemas/" + name, Value: found.Value}
}

func (b *Builder) fault(schema *openapi3.Schema, format string, args ...any) {
	f := Fault{Message: fmt.Sprintf(format, args...)}
	if schema != nil && schema.Origin != nil && schema.Origin.Key != nil {
		f.File, f.Line = schema.Origin.Key.File, schema.Origin.Key.Line
		if name := schema.Origin.Key.Name; name != "" {
			f.Message = "schema " + name + ": " + f.Message
		}
	}
	if !slices.Contains(b.faults, f) {
		b.faults = append(b.faults, f)
	}
}

func through(ref *openapi3.SchemaRef) string {
	if ref.Ref == "" {
		return ""
	}
	return " through " + ref.Ref
}
