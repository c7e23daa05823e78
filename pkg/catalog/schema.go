package catalog

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/catalog/internal/shape"
)

// Schema is a JSON Schema in two forms: as clients see it, and as it is checked.
type Schema struct {
	// Listed is what tools/list shows: plain, self-contained, without $ref. It
	// includes the common arguments.
	Listed json.RawMessage
	// Full is the complete schema, for azion://schemas/<tool>; equal to Listed where that says all.
	Full json.RawMessage

	shape *shape.Shape
	// filters are the arguments that may come in one object, see ArgFilter.
	filters []string
	// bare is what is checked where the body, or none of its fields, is given; nil
	// where the body must be there.
	bare  *shape.Shape
	body  []string    // the arguments that are the body's fields
	loose shape.Paths // of an answer: where the host masks or wraps
}

const (
	// inputBudget and outputBudget bound what one tool's schema adds to a list, in
	// bytes. Larger ones are told compactly there and in full by the resource.
	inputBudget  = 1200
	outputBudget = 2 << 10
)

// inputSchema renders a tool's arguments. elsewhere says where a line stands
// already, see shape.Listing; nil: nowhere.
func inputSchema(t *Tool, own *shape.Shape, elsewhere func(argument, line string) string) *Schema {
	s := &Schema{shape: own, filters: filtersOf(t, own)}
	told := own.Group(ArgFilter, s.filters)
	s.Listed, _ = told.Listed(shape.Listing{
		Tail: commonBriefs(t), Budget: inputBudget, Lines: true, Needs: t.needs, Elsewhere: elsewhere,
		Partial: t.Binding != nil && t.Binding.Method == "PATCH",
	})
	s.Full = told.Full(commonProps(t))
	return s
}

// needs reports whether a required argument must be there in every call: one of
// a body that may be left out need not.
func (t *Tool) needs(name string) bool {
	body := t.body()
	return body == nil || body.Required || !slices.Contains(body.Fields, name)
}

func (t *Tool) body() *Body {
	if t.Binding == nil {
		return nil
	}
	return t.Binding.Body
}

func outputSchema(answer *shape.Shape, loose []string) *Schema {
	s := &Schema{shape: answer, loose: loose}
	complete := false
	s.Listed, complete = answer.Listed(shape.Listing{Answer: true, Loose: s.loose, Budget: outputBudget})
	if s.Full = s.Listed; !complete {
		s.Full, _ = answer.Listed(shape.Listing{Answer: true, Loose: s.loose, Budget: 1 << 20})
	}
	return s
}

// Check validates the tool's own arguments, without the common ones, in full.
//
// Lossless forms are accepted ("12" and 2.0 for an integer, "true" for a
// boolean). null means absent, except where the document calls null a value of
// the field: there it is kept, since it may mean "clear this". Unknown arguments
// are refused by name. clean is a new map with numbers as json.Number; it is nil
// when there are faults.
func (t *Tool) Check(args map[string]any) (clean map[string]any, faults []Fault) {
	if t.Input == nil || t.Input.shape == nil {
		return map[string]any{}, nil
	}
	args, within, faults := t.Input.spread(args)
	against := t.Input.shape
	if t.Input.bare != nil && !slices.ContainsFunc(t.Input.body, func(name string) bool { return args[name] != nil }) {
		against = t.Input.bare
	}
	value, wrongs := against.CheckArguments(args, commonNames(t))
	if faults = append(faults, within.rename(t.List.rename(toFaults(wrongs)))...); len(faults) > 0 {
		return nil, faults
	}
	clean, _ = value.(map[string]any)
	if faults = t.checkContent(clean); len(faults) > 0 {
		return nil, faults
	}
	return clean, nil
}

// rename tells a caller who used the platform's own page arguments what stands
// in for them.
func (l *List) rename(faults []Fault) []Fault {
	for i, f := range faults {
		switch {
		case l == nil || f.Path == "":
		case f.Path == l.PageArg:
			faults[i] = fault(f.Path, "unknown argument; send %s instead", ArgPage)
		case f.Path == l.SizeArg:
			faults[i] = fault(f.Path, "unknown argument; send %s instead", ArgLimit)
		}
	}
	return faults
}

// Validate reports what in an answer does not fit an output schema: wrong kinds
// and nulls where the document promises a value. Unknown fields always fit. The
// value may be anything that encoding/json can write.
func (s *Schema) Validate(value any) []Fault {
	if s == nil || s.shape == nil {
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return []Fault{{Message: "is no JSON value: " + err.Error()}}
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var plain any
	if err := dec.Decode(&plain); err != nil {
		return []Fault{{Message: "is no JSON value: " + err.Error()}}
	}
	return toFaults(s.shape.Fits(plain, s.loose))
}

func toFaults(wrongs []shape.Wrong) []Fault {
	var out []Fault
	for _, w := range wrongs {
		out = append(out, Fault(w))
	}
	return out
}

// Takes reports whether the tool has an argument of this name, common ones included.
func (t *Tool) Takes(name string) bool {
	if slices.Contains(commonNames(t), name) {
		return true
	}
	return t.Input != nil && t.Input.shape != nil && slices.Contains(t.Input.shape.Fields(), name)
}
