package shape

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Sample is the plainest value of a schema: its default, null, its first listed
// value, or the smallest thing of its type that its limits allow.
func Sample(s *openapi3.Schema) any { return sample(s, nil, maxDepth) }

func sample(s *openapi3.Schema, facts Facts, depth int) any {
	if d, ok := defaultOf(s); ok {
		return d
	}
	if s == nil || depth <= 0 || Nullable(s) {
		return nil
	}
	if enum := Enum(s); len(enum) > 0 {
		return clone(enum[0])
	}
	switch Type(s) {
	case openapi3.TypeBoolean:
		return false
	case openapi3.TypeInteger, openapi3.TypeNumber:
		return sampleNumber(s)
	case openapi3.TypeString:
		return sampleString(s)
	case openapi3.TypeArray:
		return sampleArray(s, facts, depth)
	case openapi3.TypeObject:
		v := map[string]any{}
		fill(s, v, facts, depth)
		return v
	}
	for _, ref := range append(s.OneOf, s.AnyOf...) {
		return sample(ref.Value, facts, depth-1)
	}
	return nil
}

func sampleNumber(s *openapi3.Schema) json.Number {
	n := 0.0
	for layer := range layers(s) {
		if layer.Min != nil {
			n = max(n, math.Ceil(*layer.Min))
		}
		if layer.Max != nil {
			n = min(n, math.Floor(*layer.Max))
		}
	}
	return json.Number(strconv.FormatFloat(n, 'f', -1, 64))
}

func sampleArray(s *openapi3.Schema, facts Facts, depth int) []any {
	var least uint64
	for layer := range layers(s) {
		least = max(least, layer.MinItems)
	}
	list := []any{}
	for range least {
		list = append(list, sample(items(s), facts, depth-1))
	}
	return list
}

// byFormat is a plain value of each string format the documents may use.
var byFormat = map[string]string{
	"date-time": "2025-01-01T00:00:00Z",
	"date":      "2025-01-01",
	"uuid":      "00000000-0000-4000-8000-000000000000",
	"uri":       "https://sandbox.example/",
	"email":     "someone@sandbox.example",
	"hostname":  "sandbox.example",
	"ipv4":      "192.0.2.1",
	"ipv6":      "2001:db8::1",
}

// plain are the strings tried in turn against a pattern.
var plain = []string{
	"", "sandbox", "Sandbox-1", "1.0", "1", "a", "A", "AA", "sandbox.example", "/sandbox", "/",
	"${sandbox}", "192.0.2.1", "192.0.2.0/24", "https://sandbox.example/", "sandbox@sandbox.example", "GET", "UTC",
	"00000000-0000-4000-8000-000000000000", "2025-01-01T00:00:00Z", "sandbox_1", "text/html", "1h",
}

func sampleString(s *openapi3.Schema) string {
	if v, ok := byFormat[Format(s)]; ok {
		return v
	}
	for _, candidate := range plain {
		for _, v := range []string{candidate, stretched(candidate, s)} {
			if fits(v, s) {
				return v
			}
		}
	}
	return stretched("s", s)
}

// stretched repeats v until it has the least length that s wants.
func stretched(v string, s *openapi3.Schema) string {
	var least uint64
	for layer := range layers(s) {
		least = max(least, layer.MinLength)
	}
	if v == "" || uint64(len(v)) >= least {
		return v
	}
	return strings.Repeat(v, int(least)/len(v)+1)[:least]
}

func fits(v string, s *openapi3.Schema) bool {
	for layer := range layers(s) {
		n := uint64(len(v))
		if n < layer.MinLength || layer.MaxLength != nil && n > *layer.MaxLength {
			return false
		}
		if layer.Pattern == "" {
			continue
		}
		re, err := regexp.Compile(layer.Pattern)
		if err == nil && !re.MatchString(v) {
			return false
		}
	}
	return true
}
