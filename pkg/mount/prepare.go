package mount

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is one on its way to the catalogue.
type document struct {
	api     API
	root    *yaml.Node
	overlay *overlay
}

var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// served are the methods that tools are made of; the rest carry nothing.
var served = []string{"get", "put", "post", "delete", "patch"}

// prepare changes the document in place.
func (d *document) prepare(place authPlace) error {
	if err := d.server(); err != nil {
		return err
	}
	d.security(place)
	paths := get(d.root, "paths")
	if paths == nil || paths.Kind != yaml.MappingNode {
		return errors.New("the document has no paths")
	}
	taken := map[string]bool{}
	count := 0
	for i := 0; i+1 < len(paths.Content); i += 2 {
		at, item := paths.Content[i].Value, paths.Content[i+1]
		if reference := text(item, "$ref"); reference != "" {
			// What it leads to would be mounted as it stands, with servers of its own.
			return fmt.Errorf("%s is a reference to %s: write the path out, or leave it out of the document", at, reference)
		}
		remove(item, "servers")
		for _, method := range methods {
			op := get(item, method)
			if op == nil {
				continue
			}
			if !slices.Contains(served, method) || !d.wanted(op, method, at) {
				remove(item, method)
				continue
			}
			if err := d.operation(op, method, at, taken); err != nil {
				return err
			}
			count++
		}
	}
	if count == 0 {
		return errors.New("no operation is left to mount; look at only and except")
	}
	return d.overlay.unused()
}

// server makes the one base URL that every request goes to.
func (d *document) server() error {
	if d.api.URL != "" {
		set(d.root, "servers", sequence(mapping("url", scalar(d.api.URL))))
	}
	if servers := get(d.root, "servers"); servers == nil || len(servers.Content) == 0 {
		return errors.New("the document names no server; say url")
	}
	return nil
}

// security replaces the document's schemes with the one place where the
// deployment's credential goes.
func (d *document) security(place authPlace) {
	top := mapping("server", scalar("own"))
	if place.kind == noAuth || d.api.Credential == "" {
		set(d.root, "security", sequence())
	} else {
		in, name := place.scheme()
		components := get(d.root, "components")
		if components == nil {
			components = mapping()
			set(d.root, "components", components)
		}
		set(components, "securitySchemes", mapping("comporta", mapping("type", scalar("apiKey"), "in", scalar(in), "name", scalar(name))))
		set(d.root, "security", sequence(mapping("comporta", sequence())))
		set(top, "credential", scalar(d.api.Name))
	}
	set(d.root, "x-mcp", top)
}

// wanted applies only and except.
func (d *document) wanted(op *yaml.Node, method, at string) bool {
	names := []string{text(op, "operationId"), strings.ToUpper(method) + " " + at}
	fits := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			return slices.ContainsFunc(names, func(name string) bool {
				ok, err := match(pattern, name)
				return err == nil && ok && name != ""
			})
		})
	}
	return (len(d.api.Only) == 0 || fits(d.api.Only)) && !fits(d.api.Except)
}

// operation gives an operation its name and its x-mcp.
func (d *document) operation(op *yaml.Node, method, at string, taken map[string]bool) error {
	id := text(op, "operationId")
	name := toolName(d.api.Prefix, id, method, at)
	if taken[name] {
		name = shortened(name, method+" "+at)
	}
	if taken[name] {
		return fmt.Errorf("%s %s has no name of its own", strings.ToUpper(method), at)
	}
	remove(op, "security")
	remove(op, "servers")
	set(op, "operationId", scalar(name))
	// Its publisher has no say in what is guarded here: that is the overlay's.
	set(op, "x-mcp", mapping("effect", scalar(effectOf(method)), "profiles", sequence(scalar(d.api.Name))))
	if strings.TrimSpace(text(op, "summary")+text(op, "description")) == "" {
		set(op, "summary", scalar(strings.ToUpper(method)+" "+at))
	}
	d.overlay.apply(op, id, strings.ToUpper(method)+" "+at)
	if renamed := text(op, "operationId"); renamed != name {
		if taken[renamed] {
			return fmt.Errorf("the overlay names two operations %s", renamed)
		}
		name = renamed
	}
	taken[name] = true
	return nil
}

// effectOf is what a method does where nobody says more.
func effectOf(method string) string {
	switch method {
	case "get":
		return "read"
	case "delete":
		return "destructive"
	}
	return "write"
}
