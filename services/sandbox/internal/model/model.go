// Package model turns OpenAPI documents into what the sandbox serves: which
// paths are collections, how they nest, what each operation does to them. All of
// it is read from paths, methods and schemas; no resource is known by name.
package model

import (
	"encoding/json"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
)

// Kind is what an operation does.
type Kind int

// The kinds, by the shape of path and method that makes them.
const (
	List     Kind = iota // GET on a collection
	Create               // POST on a collection, or on a path beside it whose answer is one of its items
	Retrieve             // GET on an item
	Replace              // PUT on an item or a singleton
	Patch                // PATCH on an item or a singleton
	Delete               // DELETE on an item or a singleton
	Clone                // POST on an item's /clone
	Copy                 // POST on an item's /copy/{new key}
	Order                // PUT on a collection's /order
	Act                  // anything else: checked, counted, answered from its schema, keeping nothing
)

// Operation is one method of one path.
type Operation struct {
	ID       string // operationId
	Area     string
	Method   string
	Template string // "/workspace/applications/{application_id}"
	Kind     Kind
	// On is the collection it works on; nil for Act.
	On *Collection
	// Parents are the items above the target that must exist, outermost first.
	Parents []Parent
	Query   []*openapi3.Parameter
	Path    []*openapi3.Parameter // in the order of the template
	Body    *Body                 // nil: it takes none
	Answer  Answer
}

// Parent is an item on the way to an operation's target.
type Parent struct {
	On    *Collection
	Depth int // number of path segments up to and including the item's key
}

// Body is the body that an operation takes.
type Body struct {
	Required bool
	Raw      bool             // bytes of any type, not JSON
	Schema   *openapi3.Schema // nil: any JSON
}

// Answer is an operation's good answer.
type Answer struct {
	Status  int
	Pending bool             // documented as 202: it takes effect later
	Raw     bool             // the stored bytes themselves
	Schema  *openapi3.Schema // nil: no body
	ListKey string           // the property that is the list; "" when the answer is not a list
}

// Data is the schema of what an answer is about: its "data" property, the
// elements of its list, or itself.
func (a Answer) Data() *openapi3.Schema {
	if a.Schema == nil {
		return nil
	}
	if a.ListKey != "" {
		if list := property(a.Schema, a.ListKey); list != nil && list.Items != nil {
			return list.Items.Value
		}
		return nil
	}
	if data := property(a.Schema, "data"); data != nil {
		return data
	}
	return a.Schema
}

// Collection is a path under which items live, or a singleton: one thing that is
// always there below its parent.
type Collection struct {
	Template  string
	Key       Key
	Singleton bool
	// Items are the schemas that an item is answered with, the fullest first.
	Items []*openapi3.Schema
	// Input is the schema an item is made from; nil where no operation makes one.
	Input *openapi3.Schema
	// Ordered items have a read-only number "order".
	Ordered bool
	// Upsert: no operation creates items, so PUT does.
	Upsert bool
	// Seeds are items of a collection that nothing writes, from the document's examples.
	Seeds []map[string]any
}

// Depth is the number of segments of the collection's path.
func (c *Collection) Depth() int { return len(Steps(c.Template)) }

// HasUUIDs reports whether the collection's keys are UUIDs.
func (c *Collection) HasUUIDs() bool {
	return c.has(c.Key.Field, func(s *openapi3.Schema) bool { return shape.Format(s) == "uuid" })
}

// Key is what tells an item of a collection from the others.
type Key struct {
	Field     string // the item's property that holds it; "" when no property does
	Integer   bool
	Generated bool // the platform chooses it; else it comes with the create
	// Aliases are the names under which an answer may ask for it.
	Aliases []string
}

// Sort is a key as the collection's items are ordered by it.
func (k Key) Sort(key string) string {
	if k.Integer {
		return fmt.Sprintf("%020s", key)
	}
	return key
}

// Value is a key as an item's field holds it.
func (k Key) Value(key string) any {
	if k.Integer {
		return json.Number(key)
	}
	return key
}

// Model is everything that the documents say.
type Model struct {
	Operations  []*Operation // by path and method
	Collections []*Collection
	root        *node
}
