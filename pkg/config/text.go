package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// nodeOf gives the text of a variable or flag the form of a file's value. Lists
// are written "a,b,c" and maps "k=v,k=v"; either may also be YAML in its inline
// form ("[a, b]", "{k: v}"), which is the only form of lists of objects.
func nodeOf(text string, t reflect.Type) (*yaml.Node, error) {
	if isText(t) {
		return textNode(text), nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Struct:
	default:
		return textNode(text), nil
	}
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "{") {
		return inline(trimmed)
	}
	var parts []string
	if trimmed != "" {
		parts = strings.Split(trimmed, ",")
	}
	if t.Kind() == reflect.Map {
		return mapNode(parts)
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, part := range parts {
		list.Content = append(list.Content, textNode(strings.TrimSpace(part)))
	}
	return list, nil
}

func mapNode(parts []string) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for _, part := range parts {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("%q must have the form name=value", part)
		}
		node.Content = append(node.Content, textNode(strings.TrimSpace(name)), textNode(strings.TrimSpace(value)))
	}
	return node, nil
}

// inline reads YAML that stands in one variable or flag. The parser's own words
// would repeat the value, so they are not passed on.
func inline(text string) (*yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil || len(document.Content) != 1 {
		return nil, errors.New("is no valid inline YAML")
	}
	return document.Content[0], nil
}

// textNode is a string even where it looks like something else ("null", "~").
func textNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}
