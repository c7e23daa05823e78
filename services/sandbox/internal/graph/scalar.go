package graph

import (
	"strconv"
	"time"

	"github.com/graphql-go/graphql"
	"github.com/graphql-go/graphql/language/ast"
)

// dateTime takes the moments that the platform documents ("2026-03-01T10:10:10",
// which is UTC) and RFC 3339.
var dateTime = graphql.NewScalar(graphql.ScalarConfig{
	Name:        "DateTime",
	Description: "A moment in UTC, such as 2026-03-01T10:10:10.",
	Serialize: func(v any) any {
		if t, ok := v.(time.Time); ok {
			return t.UTC().Format("2006-01-02T15:04:05Z")
		}
		return nil
	},
	ParseValue: parseMoment,
	ParseLiteral: func(v ast.Value) any {
		if s, ok := v.(*ast.StringValue); ok {
			return parseMoment(s.Value)
		}
		return nil
	},
})

func parseMoment(v any) any {
	s, _ := v.(string)
	for _, layout := range []string{"2006-01-02T15:04:05", time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return nil
}

// long is a whole number beyond the 32 bits of Int: bytes add up.
var long = graphql.NewScalar(graphql.ScalarConfig{
	Name:        "BigInt",
	Description: "A whole number of 64 bits.",
	Serialize:   func(v any) any { return v },
	ParseValue:  parseLong,
	ParseLiteral: func(v ast.Value) any {
		if n, ok := v.(*ast.IntValue); ok {
			if i, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
				return i
			}
		}
		return nil
	},
})

func parseLong(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case int64:
		return v
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return nil
}

func (k kind) output() *graphql.Scalar {
	switch k {
	case integer:
		return long
	case float:
		return graphql.Float
	case moment:
		return dateTime
	}
	return graphql.String
}
