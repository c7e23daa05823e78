package engine

import (
	"strings"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
)

// act answers what leaves nothing behind: what its behaviour says, else the body's
// own fields, in the answer's form.
func (w *work) act() (outcome, error) {
	data, acted, err := w.acted()
	if err != nil {
		return outcome{}, err
	}
	if !acted {
		data = w.object()
		if w.Op.Body != nil && w.Op.Body.Schema != nil {
			shape.Defaults(w.Op.Body.Schema, data)
		}
	}
	a, err := w.enveloped("executed", data)
	name := textOf(w.object()["name"])
	if name == "" {
		name = strings.Join(pathValues(w.Op, w.Segments), "/")
	}
	return outcome{answer: a, name: name, path: model.Concrete(w.Segments)}, err
}
