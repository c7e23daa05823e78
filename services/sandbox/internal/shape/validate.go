package shape

import (
	"errors"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Violation is one place where a value is not what its schema says.
type Violation struct {
	Pointer string // JSON Pointer, "" for the value itself
	Reason  string
}

// Validate checks a request's value against s and tells everything that is wrong
// with it.
func Validate(s *openapi3.Schema, v any) []Violation {
	return violations(s.VisitJSON(v, openapi3.VisitAsRequest(), openapi3.MultiErrors(),
		openapi3.DisableReadOnlyValidation(), patterns))
}

// patterns lets a pattern pass that Go's regular expressions cannot tell, such as
// one that looks ahead: it is the document's to use, and not the caller's fault.
var patterns = openapi3.SetSchemaRegexCompiler(func(expr string) (openapi3.RegexMatcher, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return anything{}, nil
	}
	return re, nil
})

type anything struct{}

func (anything) MatchString(string) bool { return true }

// ValidateAnswer checks a value that the sandbox is about to answer.
func ValidateAnswer(s *openapi3.Schema, v any) []Violation {
	return violations(s.VisitJSON(v, openapi3.VisitAsResponse(), openapi3.MultiErrors(), patterns))
}

func violations(err error) []Violation {
	if err == nil {
		return nil
	}
	if many, ok := err.(openapi3.MultiError); ok {
		var all []Violation
		for _, e := range many {
			all = append(all, violations(e)...)
		}
		return all
	}
	one, ok := err.(*openapi3.SchemaError)
	if !ok {
		return []Violation{{Reason: err.Error()}}
	}
	if inner := causes(one); inner != nil {
		return violations(inner)
	}
	return []Violation{{Pointer: pointer(one.JSONPointer()), Reason: one.Reason}}
}

// causes is what made a combination fail, where one alternative was meant:
// every part of allOf, or the only branch of oneOf that a discriminator left.
func causes(e *openapi3.SchemaError) error {
	if e.Origin == nil || e.SchemaField != "allOf" && e.SchemaField != "oneOf" {
		return nil
	}
	many, ok := errors.AsType[openapi3.MultiError](e.Origin)
	if !ok || e.SchemaField == "oneOf" && len(many) != 1 {
		return nil
	}
	return many
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

func pointer(path []string) string {
	var b strings.Builder
	for _, step := range path {
		b.WriteByte('/')
		b.WriteString(escape.Replace(step))
	}
	return b.String()
}
