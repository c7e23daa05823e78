package shape

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// kindsOf are the kinds that a schema's own keywords allow; nil: any.
func kindsOf(schema *openapi3.Schema) []Kind {
	var out []Kind
	for _, name := range schema.Type.Slice() {
		switch name {
		case "object":
			out = append(out, Object)
		case "array":
			out = append(out, Array)
		case "string":
			out = append(out, String)
		case "integer":
			out = append(out, Integer)
		case "number":
			out = append(out, Number)
		case "boolean":
			out = append(out, Boolean)
		}
	}
	if len(out) > 0 {
		return out
	}
	return impliedKind(schema)
}

// impliedKind is what a schema without a type evidently describes. A bare
// additionalProperties: false says nothing: generators put it everywhere.
func impliedKind(schema *openapi3.Schema) []Kind {
	combined := len(schema.AllOf)+len(schema.OneOf)+len(schema.AnyOf) > 0
	switch {
	case len(schema.Properties) > 0, schema.AdditionalProperties.Schema != nil && !combined:
		return []Kind{Object}
	case schema.Items != nil:
		return []Kind{Array}
	case len(schema.Enum) > 0 || schema.Const != nil:
		return kindsOfValues(enumOf(schema))
	case schema.Pattern != "" || schema.MaxLength != nil || schema.MinLength > 0:
		return []Kind{String}
	}
	return nil
}

func kindsOfValues(values []any) []Kind {
	var out []Kind
	for _, k := range []Kind{String, Boolean, Integer, Number} {
		if len(values) > 0 && !slices.ContainsFunc(values, func(v any) bool { return !fits(k, v) }) {
			return append(out, k)
		}
	}
	return nil
}

func fits(k Kind, v any) bool {
	switch v := v.(type) {
	case string:
		return k == String
	case bool:
		return k == Boolean
	case json.Number:
		_, whole := canonicalInteger(string(v))
		return k == Number || k == Integer && whole
	}
	return false
}

// narrow keeps the kinds that both sides allow; an integer is a number.
func narrow(a, b []Kind) []Kind {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := []Kind{}
	for _, k := range a {
		switch {
		case slices.Contains(b, k), k == Integer && slices.Contains(b, Number):
			out = append(out, k)
		case k == Number && slices.Contains(b, Integer):
			out = append(out, Integer)
		}
	}
	return out
}

// kindsOfAll are the kinds that all parts allow together; nil: any. A bare
// "type: object" beside parts that say otherwise is a generator's default and
// yields to them.
func kindsOfAll(parts []part) (kinds []Kind, contradiction *openapi3.Schema) {
	var soft []Kind
	for _, p := range parts {
		schema := p.ref.Value
		if bareObject(schema) {
			soft = []Kind{Object}
			continue
		}
		both := narrow(kinds, kindsOf(schema))
		if both != nil && len(both) == 0 {
			contradiction = schema
			continue
		}
		kinds = both
	}
	if both := narrow(kinds, soft); len(both) > 0 {
		kinds = both
	}
	return kinds, contradiction
}

func bareObject(schema *openapi3.Schema) bool {
	return schema.Type.Is("object") && len(schema.Properties) == 0 && schema.AdditionalProperties.Schema == nil &&
		(schema.AdditionalProperties.Has == nil || !*schema.AdditionalProperties.Has)
}

// nullable reports whether a schema's own keywords make null a value.
func nullable(schema *openapi3.Schema) bool {
	return schema.Nullable || schema.Type.Includes("null") || slices.Contains(schema.Enum, any(nil))
}

// isNull reports whether a schema allows null and nothing else, as generators
// write it into a oneOf.
func isNull(schema *openapi3.Schema) bool {
	if schema.Type.Is("null") {
		return true
	}
	return len(schema.Enum) > 0 && !slices.ContainsFunc(schema.Enum, func(v any) bool { return v != nil })
}

// enumOf gives the allowed values in canonical form, without null; nil: no limit.
func enumOf(schema *openapi3.Schema) []any {
	values := schema.Enum
	if schema.Const != nil {
		values = []any{schema.Const}
	}
	var out []any
	for _, v := range values {
		if v != nil {
			out = append(out, canonical(v))
		}
	}
	return out
}

// canonical turns a value of a document into string, bool or json.Number, and
// leaves the rest alone.
func canonical(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
			return json.Number(strconv.FormatFloat(v, 'f', -1, 64))
		}
		return json.Number(strconv.FormatFloat(v, 'g', -1, 64))
	case int:
		return json.Number(strconv.Itoa(v))
	case int64:
		return json.Number(strconv.FormatInt(v, 10))
	case uint64:
		return json.Number(strconv.FormatUint(v, 10))
	}
	return v
}

// mark tells apart two references to one schema that say different things about it.
func mark(ref *openapi3.SchemaRef) string {
	m := MarksOf(ref)
	out := ""
	if m.Secret {
		out += "s"
	}
	if m.Once {
		out += "o"
	}
	if m.Untrusted {
		out += "u"
	}
	if m.Address {
		out += "a"
	}
	if n := named(ref); n != nil {
		out += fmt.Sprint(*n)
	}
	return out
}

// named reads x-mcp {root} of a property: a kind, or {kind, field, in, none}.
func named(ref *openapi3.SchemaRef) *Name {
	for _, extensions := range []map[string]any{ref.Extensions, ref.Value.Extensions} {
		marks, _ := extensions["x-mcp"].(map[string]any)
		switch root := marks["root"].(type) {
		case string:
			return &Name{Kind: root}
		case map[string]any:
			n := &Name{}
			n.Kind, _ = root["kind"].(string)
			n.Field, _ = root["field"].(string)
			n.All = root["none"] == "all"
			values, _ := root["in"].([]any)
			for _, value := range values {
				n.Values = append(n.Values, fmt.Sprint(value))
			}
			return n
		}
	}
	return nil
}

// Marks is what x-mcp says of a property.
type Marks struct {
	Secret    bool
	Once      bool // a secret that the platform shows this one time
	Address   bool // a URL in which there may be a secret
	Untrusted bool
}

// MarksOf reads x-mcp {secret, shown_once, untrusted} of a property; secret: url is a
// URL of which only what looks like a credential is secret. format: password is a
// secret too: that is what OpenAPI has the word for.
func MarksOf(ref *openapi3.SchemaRef) (m Marks) {
	m.Secret = ref.Value.Format == "password"
	for _, extensions := range []map[string]any{ref.Extensions, ref.Value.Extensions} {
		said, _ := extensions["x-mcp"].(map[string]any)
		m.Once = m.Once || said["shown_once"] == true
		m.Secret = m.Secret || m.Once || said["secret"] == true
		m.Address = m.Address || said["secret"] == "url"
		m.Untrusted = m.Untrusted || said["untrusted"] == true
	}
	return m
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func baseName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// sameRef compares a discriminator's target with a branch's $ref; the target may
// be a bare schema name.
func sameRef(target, ref string) bool {
	if ref == "" || target == "" {
		return false
	}
	return target == ref || !strings.Contains(target, "/") && target == baseName(ref)
}
