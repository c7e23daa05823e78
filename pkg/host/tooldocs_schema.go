package host

import (
	"encoding/json"
	"fmt"
	"strings"
)

// property is what the page of all tools shows of a schema.
type property struct {
	Type        string          `json:"type"`
	Format      string          `json:"format"`
	Description string          `json:"description"`
	Enum        []any           `json:"enum"`
	Default     any             `json:"default"`
	Items       *property       `json:"items"`
	Properties  json.RawMessage `json:"properties"`
	Required    []string        `json:"required"`

	whole json.RawMessage
}

// each calls do for every property, in the schema's order.
func (p property) each(do func(name string, p property)) error {
	if len(p.Properties) == 0 {
		return nil
	}
	members, err := membersOf(p.Properties)
	if err != nil {
		return fmt.Errorf("read the properties of a schema: %w", err)
	}
	for _, m := range members {
		member := property{whole: m.value}
		if err := json.Unmarshal(m.value, &member); err != nil {
			return fmt.Errorf("read the property %s: %w", m.name, err)
		}
		do(m.name, member)
	}
	return nil
}

// kind names the type for people.
func (p property) kind() string {
	switch {
	case p.Items != nil && p.Items.Type != "":
		return "list of " + p.Items.Type
	case p.Type == "array":
		return "list"
	case p.Type == "string" && p.Format == "date-time":
		return "time"
	case p.Type == "":
		return "see its meaning"
	}
	return p.Type
}

func (p property) meaning() string {
	parts := []string{}
	if p.Description != "" {
		parts = append(parts, strings.TrimSuffix(p.Description, ".")+".")
	}
	if len(p.Enum) > 0 {
		parts = append(parts, "One of: "+joinAny(p.Enum)+".")
	}
	if p.Default != nil {
		parts = append(parts, fmt.Sprintf("Default: %v.", p.Default))
	}
	return strings.Join(parts, " ")
}

// deep tells what has parts of its own.
func (p property) deep() bool {
	return len(p.Properties) > 0 || p.Items != nil && p.Items.Type != "string" && p.Items.Type != "integer" || p.Type == ""
}

// flat tells an object whose members have none.
func (p property) flat() bool {
	if p.Type != "object" || len(p.Properties) == 0 {
		return false
	}
	flat := true
	err := p.each(func(_ string, member property) { flat = flat && !member.deep() && member.Type != "object" })
	return err == nil && flat
}

func joinAny(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ", ")
}
