package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"
)

// maxDocument bounds a document's bytes; the largest API known to the authors
// has 0.7 MB.
const maxDocument = 32 << 20

// source is one YAML file: its nodes, to tell lines, and its meaning.
type source struct {
	file string
	data []byte
	root *yaml.Node // the top mapping
	spec *openapi3.T
}

// sources reads every YAML file of an area. Files without an openapi key are
// fragments: they hold what documents refer to.
type sources struct {
	fsys   fs.FS
	files  map[string]*source
	used   map[string]bool // fragments that a $ref reached
	faults *faults
}

func readSources(fsys fs.FS, found *faults) *sources {
	s := &sources{fsys: fsys, files: map[string]*source{}, used: map[string]bool{}, faults: found}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ext := path.Ext(name); !entry.IsDir() && (ext == ".yaml" || ext == ".yml") {
			s.read(name)
		}
		return nil
	})
	if err != nil {
		found.add(DocumentFault{File: ".", Message: "cannot be read: " + err.Error()})
	}
	return s
}

func (s *sources) read(name string) {
	data, err := fs.ReadFile(s.fsys, name)
	if err == nil && len(data) > maxDocument {
		err = fmt.Errorf("larger than %d bytes", maxDocument)
	}
	if err != nil {
		s.faults.add(DocumentFault{File: name, Message: "cannot be read: " + err.Error()})
		return
	}
	src := &source{file: name, data: data}
	var top yaml.Node
	if err := yaml.Unmarshal(data, &top); err != nil {
		s.broken(name, err)
		return
	}
	if len(top.Content) == 1 {
		src.root = top.Content[0]
	}
	if src.root == nil || src.root.Kind != yaml.MappingNode {
		s.faults.add(DocumentFault{File: name, Line: 1, Message: "is no OpenAPI document: a mapping with openapi, info and paths is wanted"})
		return
	}
	before := len(s.faults.list)
	if s.sound(src, src.root, 0, map[*yaml.Node]int{}) > maxNodes {
		s.faults.add(DocumentFault{File: name, Line: 1, Message: "unfolds to too much through YAML aliases"})
	}
	if len(s.faults.list) > before {
		return
	}
	s.files[name] = src
}

var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

func (s *sources) broken(name string, err error) {
	found := false
	for line := range strings.Lines(err.Error()) {
		if m := yamlLine.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			s.faults.add(DocumentFault{File: name, Line: n, Message: "broken YAML: " + m[2]})
			found = true
		}
	}
	if !found {
		s.faults.add(DocumentFault{File: name, Message: "broken YAML: " + err.Error()})
	}
}

const (
	// maxNesting is deeper than any document is by hand or generator.
	maxNesting = 500
	// maxNodes bounds what aliases may unfold a document to.
	maxNodes = 5_000_000
)

// sound refuses what would be read differently by different readers, or without
// end: keys said twice, and aliases that contain themselves or unfold hugely. It
// gives the number of nodes with aliases unfolded.
func (s *sources) sound(src *source, n *yaml.Node, depth int, sizes map[*yaml.Node]int) int {
	if depth > maxNesting {
		s.faults.add(DocumentFault{File: src.file, Line: n.Line, Message: "is nested too deeply, or an alias contains itself"})
		return 0
	}
	if n.Kind == yaml.AliasNode {
		if n.Alias == nil {
			return 1
		}
		if size, known := sizes[n.Alias]; known {
			return size
		}
		return s.sound(src, n.Alias, depth+1, sizes)
	}
	if n.Kind == yaml.MappingNode {
		seen := map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if first, twice := seen[key.Value]; twice {
				s.faults.add(DocumentFault{File: src.file, Line: key.Line, Key: key.Value, Message: fmt.Sprintf("said twice, first on line %d", first)})
			}
			seen[key.Value] = key.Line
		}
	}
	size := 1
	for _, child := range n.Content {
		size = min(size+s.sound(src, child, depth+1, sizes), maxNodes+1)
		if depth > maxNesting/2 && len(s.faults.list) > 0 {
			return size
		}
	}
	sizes[n] = size
	return size
}

// documents gives the sources that are OpenAPI documents, parsed, by file name.
func (s *sources) documents() []*source {
	var out []*source
	names := make([]string, 0, len(s.files))
	for name := range s.files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		src := s.files[name]
		if src.at("openapi") == nil {
			continue
		}
		before := len(s.faults.list)
		if s.references(src); len(s.faults.list) > before {
			continue
		}
		if s.parse(src) {
			out = append(out, src)
		}
	}
	for _, name := range names {
		if src := s.files[name]; src.at("openapi") == nil && !s.used[name] && len(s.faults.list) == 0 {
			s.faults.add(DocumentFault{File: name, Line: 1, Key: "openapi", Message: "is missing, and no document refers to this file"})
		}
	}
	return out
}

func (s *sources) parse(src *source) bool {
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = true
	loader.IncludeOrigin = true
	loader.ReadFromURIFunc = s.readURI
	spec, err := loader.LoadFromDataWithPath(src.data, &url.URL{Path: src.file})
	if err == nil {
		err = spec.Validate(loader.Context, openapi3.DisableExamplesValidation(), openapi3.DisableSchemaPatternValidation(),
			openapi3.DisableSchemaDefaultsValidation(), openapi3.EnableMultiError())
	}
	if err != nil {
		s.invalid(src, err)
		return false
	}
	src.spec = spec
	return true
}

// readURI lets documents refer to files beside them and to nothing else.
func (s *sources) readURI(_ *openapi3.Loader, location *url.URL) ([]byte, error) {
	if location.Scheme != "" || location.Host != "" {
		return nil, fmt.Errorf("%s: only files of the same folder can be referred to", location.Redacted())
	}
	name := path.Clean(strings.TrimPrefix(location.Path, "./"))
	src, ok := s.files[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	s.used[name] = true
	return src.data, nil
}

// invalid takes over what kin-openapi says of a document.
func (s *sources) invalid(src *source, err error) {
	var many openapi3.MultiError
	if errors.As(err, &many) {
		for _, one := range many {
			s.invalid(src, one)
		}
		return
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	s.faults.add(DocumentFault{File: src.file, Line: src.mentioned(text), Message: text})
}

var quotedWord = regexp.MustCompile(`"([^"]+)"`)

// mentioned guesses the line from the names that a message quotes.
func (src *source) mentioned(text string) int {
	line, n := 0, src.root
	for _, section := range []string{"components", "schemas"} {
		if strings.Contains(text, section) && n != nil {
			_, n = child(n, section)
		}
	}
	for _, m := range quotedWord.FindAllStringSubmatch(text, -1) {
		if method, path, two := strings.Cut(m[1], " "); two && src.at("paths", path) != nil {
			line = src.line("paths", path, strings.ToLower(method), "operationId")
			continue
		}
		for _, from := range []*yaml.Node{n, src.at("paths"), src.at("components", "schemas")} {
			if key, value := child(from, m[1]); key != nil {
				line, n = key.Line, value
				break
			}
		}
	}
	return line
}

// at gives the node at a path of keys; nil where there is none.
func (src *source) at(keys ...string) *yaml.Node {
	n := src.root
	for _, key := range keys {
		_, n = child(n, key)
	}
	return n
}

// line gives the line of the deepest key of the path that exists.
func (src *source) line(keys ...string) int {
	n, line := src.root, 1
	for _, key := range keys {
		name, value := child(n, key)
		if name == nil {
			break
		}
		n, line = value, name.Line
	}
	return line
}

func child(n *yaml.Node, key string) (name, value *yaml.Node) {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil {
		return nil, nil
	}
	if n.Kind == yaml.SequenceNode {
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i], n.Content[i]
		}
		return nil, nil
	}
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i], n.Content[i+1]
			}
		}
	}
	return nil, nil
}
