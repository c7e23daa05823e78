package catalog

import (
	"net/url"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// references finds every $ref of a document that leads nowhere, or only to
// further references. kin-openapi would stop at the first.
func (s *sources) references(src *source) {
	var walk func(n *yaml.Node, way []string)
	walk = func(n *yaml.Node, way []string) {
		switch n.Kind {
		case yaml.SequenceNode:
			for _, c := range n.Content {
				walk(c, way)
			}
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				key, value := n.Content[i].Value, n.Content[i+1]
				if key == "$ref" && value.Kind == yaml.ScalarNode && !named(way) {
					s.reference(src, value, way)
					continue
				}
				if !data(key) || named(way) {
					walk(value, append(way[:len(way):len(way)], key))
				}
			}
		}
	}
	walk(src.root, nil)
}

// data reports keys that hold values of the document's subject, not schemas.
func data(key string) bool {
	return key == "example" || key == "examples" || key == "default" || key == "enum" || key == "const" || strings.HasPrefix(key, "x-")
}

// named reports that the keys at this place are names that a document chose.
func named(way []string) bool {
	return len(way) > 0 && (way[len(way)-1] == "properties" || way[len(way)-1] == "mapping") && (len(way) < 2 || way[len(way)-2] != "properties")
}

func (s *sources) reference(src *source, ref *yaml.Node, way []string) {
	complain := func(message string) {
		s.faults.add(DocumentFault{File: src.file, Line: ref.Line, Operation: src.operationAt(way), Key: "$ref", Message: ref.Value + ": " + message})
	}
	at, target := src, ref.Value
	for range 32 {
		var node *yaml.Node
		if at, node = s.follow(at, target); node == nil {
			complain("leads nowhere")
			return
		}
		_, next := child(node, "$ref")
		if next == nil || next.Kind != yaml.ScalarNode {
			return
		}
		target = next.Value
	}
	complain("leads in a circle of references")
}

// follow gives the node that a reference names.
func (s *sources) follow(from *source, ref string) (*source, *yaml.Node) {
	file, fragment, _ := strings.Cut(ref, "#")
	at := from
	if file != "" {
		at = s.files[path.Join(path.Dir(from.file), file)]
		if at == nil {
			return from, nil
		}
	}
	n := at.root
	for piece := range strings.SplitSeq(strings.TrimPrefix(fragment, "/"), "/") {
		if piece == "" {
			continue
		}
		if text, err := url.PathUnescape(piece); err == nil {
			piece = text
		}
		piece = strings.NewReplacer("~1", "/", "~0", "~").Replace(piece)
		if _, n = child(n, piece); n == nil {
			return at, nil
		}
	}
	return at, n
}

// operationAt names the operation that a place of the document is in.
func (src *source) operationAt(way []string) string {
	if len(way) < 3 || way[0] != "paths" {
		return ""
	}
	if id := src.at("paths", way[1], way[2], "operationId"); id != nil {
		return id.Value
	}
	return strings.ToUpper(way[2]) + " " + way[1]
}
