package shape

import (
	"fmt"
	"strings"
)

// maxChoices bounds how many values stand in words.
const maxChoices = 60

// choices are the values to list as an enum, and what says the others in words:
// some clients take only texts there, and no empty one.
func (s *Shape) choices() (values []any, words string) {
	if s.Enum == nil {
		return nil, ""
	}
	var others []string
	for _, v := range s.Enum {
		text, isText := v.(string)
		switch {
		case s.Kind != String:
			others = append(others, fmt.Sprint(v))
		case isText && text != "":
			if !containsValue(values, v) {
				values = append(values, v)
			}
		case isText:
			words = "Or an empty text"
		}
	}
	if len(others) == 0 {
		return values, words
	}
	if len(others) > maxChoices {
		others = append(others[:maxChoices], "…")
	}
	return nil, "One of " + strings.Join(others, ", ")
}

// sentence joins what is said of a value.
func sentence(parts ...string) string {
	var said []string
	for _, part := range parts {
		if part != "" {
			said = append(said, part)
		}
	}
	return strings.Join(said, ". ")
}
