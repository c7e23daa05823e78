package engine

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
)

// facts are what the platform writes into a resource by itself. The words it
// goes by are the platform's habits of naming, not the names of resources.
type facts struct {
	at    time.Time
	email string
	key   model.Key
	id    string
	size  int // of the stored bytes
}

func (f facts) Known(name string, s *openapi3.Schema) (any, bool) {
	switch {
	case slices.Contains(f.key.Aliases, name):
		if shape.Type(s) == openapi3.TypeInteger {
			return json.Number(f.id), f.key.Integer
		}
		return f.id, f.id != ""
	case shape.Format(s) == "date-time":
		return moment(f.at), isWritten(name) || strings.Contains(name, "creat") || !shape.Nullable(s)
	case isEditor(name, s):
		return f.email, true
	case name == "product_version":
		return "1.0", true
	case name == "size" && shape.Type(s) == openapi3.TypeInteger:
		return json.Number(strconv.Itoa(f.size)), true
	case strings.HasSuffix(name, "domain") && shape.ReadOnly(s) && shape.Type(s) == openapi3.TypeString:
		return host(), true
	}
	return nil, false
}

// isWritten reports whether a moment is that of the last write.
func isWritten(name string) bool {
	return strings.Contains(name, "modif") || strings.Contains(name, "updat")
}

// isEditor reports whether a text tells who wrote.
func isEditor(name string, s *openapi3.Schema) bool {
	return shape.Type(s) == openapi3.TypeString &&
		(strings.HasSuffix(name, "editor") || strings.HasSuffix(name, "_by") || name == "creator" || name == "author")
}

// host is a made-up address of a new workload.
func host() string { return strings.ToLower(rand.Text()[:10]) + ".map.sandbox.example" }

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// touch writes down who changed a resource and when.
func (w *work) touch(c *model.Collection, data map[string]any) {
	for _, s := range c.Items {
		for _, name := range shape.Names(s) {
			p := shape.Property(s, name)
			switch {
			case !shape.ReadOnly(p):
			case shape.Format(p) == "date-time" && isWritten(name):
				data[name] = moment(w.at)
			case isEditor(name, p) && !strings.HasPrefix(name, "creat"):
				data[name] = w.Holder.Person.Email
			}
		}
	}
}

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}
