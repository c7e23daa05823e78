package engine

import (
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
)

// readBody decodes the body and holds it against the operation's schema.
func (w *work) readBody() error {
	body := w.Op.Body
	if body == nil || body.Raw {
		return nil
	}
	if len(w.Body) == 0 {
		if body.Required {
			return refusal.New(http.StatusBadRequest, "This operation needs a body.")
		}
		w.body = map[string]any{}
		return nil
	}
	if !isJSON(w.Media) {
		return refusal.Header(http.StatusUnsupportedMediaType, "Content-Type", "The body must be application/json.")
	}
	v, err := shape.Decode(w.Body)
	if err != nil {
		return refusal.New(http.StatusBadRequest, fmt.Sprintf("The body is not JSON: %v.", err))
	}
	if body.Schema != nil {
		shape.DropReadOnly(body.Schema, v)
		if wrong := shape.Validate(body.Schema, v); wrong != nil {
			return invalid(wrong)
		}
	}
	w.body = v
	return nil
}

func isJSON(media string) bool {
	kind, _, err := mime.ParseMediaType(media)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

func invalid(wrong []shape.Violation) error {
	r := &refusal.Refusal{Status: http.StatusBadRequest}
	for _, v := range wrong {
		r.Add(v.Pointer, v.Reason)
	}
	return r
}

// object is the body as an object: what it says, never nil, its own copy.
func (w *work) object() map[string]any {
	if o, ok := w.body.(map[string]any); ok {
		return shape.Clone(o)
	}
	return map[string]any{}
}
