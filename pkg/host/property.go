package host

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// withoutProperty gives an object schema without one of its properties. The
// order of the others stays, since clients show it.
func withoutProperty(schema json.RawMessage, name string) (json.RawMessage, error) {
	if !bytes.Contains(schema, []byte(`"`+name+`"`)) {
		return schema, nil
	}
	members, err := membersOf(schema)
	if err != nil {
		return nil, err
	}
	for i, m := range members {
		if m.name != "properties" {
			continue
		}
		inner, err := membersOf(m.value)
		if err != nil {
			return nil, err
		}
		members[i].value = without(inner, name)
	}
	return join(members), nil
}

type member struct {
	name  string
	value json.RawMessage
}

// membersOf reads an object's members in their order.
func membersOf(object json.RawMessage) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, fmt.Errorf("a schema is no object: %w", err)
	}
	var members []member
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("read a schema: %w", err)
		}
		m := member{name: key.(string)} // a key of an object is always a string
		if err := decoder.Decode(&m.value); err != nil {
			return nil, fmt.Errorf("read a schema: %w", err)
		}
		members = append(members, m)
	}
	return members, nil
}

func without(members []member, name string) json.RawMessage {
	var rest []member
	for _, m := range members {
		if m.name != name {
			rest = append(rest, m)
		}
	}
	return join(rest)
}

func join(members []member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := json.Marshal(m.name)
		if err != nil { // a string always encodes
			continue
		}
		out = append(append(append(out, key...), ':'), m.value...)
	}
	return append(out, '}')
}
