package main

import (
	"encoding/json"
	"fmt"

	"github.com/tiktoken-go/tokenizer"

	"github.com/comporta-mcp/comporta/pkg/host"
)

// count is what one list costs, in tokens.
type count struct {
	List   string // "build", "build/functions"
	Tools  int
	Before int
	After  int
	Choice int    // beside After: the argument that chooses a company, where there are several
	Each   []cost // of the whole area only
}

// cost is one tool's share.
type cost struct {
	Name          string
	Before, After int
}

func countAll(areas []host.Area) ([]count, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, fmt.Errorf("load o200k_base: %w", err)
	}
	var all []count
	for _, area := range areas {
		counts, err := countArea(codec, area)
		if err != nil {
			return nil, err
		}
		all = append(all, counts...)
	}
	return all, nil
}

// countArea counts the whole area and each of its profiles.
func countArea(codec tokenizer.Codec, area host.Area) ([]count, error) {
	d, err := openDoor(area, 1)
	if err != nil {
		return nil, err
	}
	several, err := openDoor(area, 2)
	if err != nil {
		return nil, err
	}
	c := counter{codec: codec, door: d, several: several, full: map[string]json.RawMessage{}}
	var out []count
	for _, name := range append([]string{""}, profiles(area)...) {
		path, label := "/mcp", area.Name
		if name != "" {
			path, label = "/mcp/"+name, area.Name+"/"+name
		}
		one, err := c.list(path, label, name == "")
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func profiles(area host.Area) []string {
	var names []string
	for _, p := range area.Profiles {
		names = append(names, p.Name)
	}
	return append(names, "lite") // which every host has
}

type counter struct {
	codec tokenizer.Codec
	door  *door
	// several is the same host for a link with several companies.
	several *door
	full    map[string]json.RawMessage // each tool's entry with its complete schema
}

func (c *counter) list(path, label string, each bool) (count, error) {
	raw, err := c.door.tools(path)
	if err != nil {
		return count{}, err
	}
	var tools []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &tools); err != nil {
		return count{}, fmt.Errorf("decode the tools of %s: %w", label, err)
	}
	out := count{List: label, Tools: len(tools)}
	var before []json.RawMessage
	for _, tool := range tools {
		entry, err := c.complete(path, tool)
		if err != nil {
			return count{}, err
		}
		before = append(before, entry)
		if each {
			out.Each = append(out.Each, cost{Name: nameOf(tool), Before: c.tokens(entry), After: c.tokens(encode(tool))})
		}
	}
	out.Before, out.After = c.tokens(encode(before)), c.tokens(raw)
	longest, err := c.several.tools(path)
	if err != nil {
		return count{}, err
	}
	out.Choice = c.tokens(longest) - out.After
	return out, nil
}

// complete is a tool's entry with the complete schema in place of the listed one.
func (c *counter) complete(path string, tool map[string]json.RawMessage) (json.RawMessage, error) {
	name := nameOf(tool)
	if entry, known := c.full[name]; known {
		return entry, nil
	}
	schema, err := c.door.schema(path, name)
	if err != nil {
		return nil, err
	}
	plain, err := inlined(schema)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	entry := map[string]any{}
	for key, value := range tool {
		entry[key] = value
	}
	entry["inputSchema"] = plain
	c.full[name] = encode(entry)
	return c.full[name], nil
}

func (c *counter) tokens(text []byte) int {
	n, err := c.codec.Count(string(text))
	if err != nil { // the expression that splits words cannot fail on text
		return len(text)
	}
	return n
}

func nameOf(tool map[string]json.RawMessage) string {
	var name string
	_ = json.Unmarshal(tool["name"], &name) // what the host lists has a name
	return name
}

func encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil { // it was decoded from JSON
		return nil
	}
	return text
}
