package yardstick

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Document is one that an off-the-shelf index gets: a title and the text as it
// stands in the file.
type Document struct {
	Path, Corpus, Title, Text string
}

// Documents reads what the folder's manifest lists.
func Documents(folder string) ([]Document, error) {
	file, err := os.Open(filepath.Join(folder, "manifest.jsonl"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var out []Document
	apis := map[string]*openapi3.T{}
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var d Document
		if err := json.Unmarshal(scanner.Bytes(), &d); err != nil {
			return nil, fmt.Errorf("manifest: %w", err)
		}
		if err := d.read(folder, apis); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Path, err)
		}
		out = append(out, d)
	}
	return out, scanner.Err()
}

// read fills the text in: the file, or the operation as JSON.
func (d *Document) read(folder string, apis map[string]*openapi3.T) error {
	name, operation, isOperation := strings.Cut(d.Path, "#")
	if !isOperation {
		data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		d.Text = string(data)
		return err
	}
	api := apis[name]
	if api == nil {
		var err error
		if api, err = openapi3.NewLoader().LoadFromFile(filepath.Join(folder, filepath.FromSlash(name))); err != nil {
			return err
		}
		apis[name] = api
	}
	method, route, _ := strings.Cut(operation, " ")
	item := api.Paths.Value(route)
	if item == nil || item.GetOperation(method) == nil {
		return fmt.Errorf("the file has no %s", operation)
	}
	text, err := json.Marshal(item.GetOperation(method))
	d.Text = operation + "\n" + string(text)
	return err
}
