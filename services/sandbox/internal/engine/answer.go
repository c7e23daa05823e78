package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/store"
)

const jsonMedia = "application/json"

// wrote is the outcome of a write that left a record.
func (w *work) wrote(r *store.Record) (outcome, error) {
	a, err := w.about(r)
	return outcome{answer: a, name: nameOf(r), path: w.pathOf(r)}, err
}

// removed is the outcome of a delete.
func (w *work) removed(r *store.Record) (outcome, error) {
	a, err := w.enveloped(stateOf(r), nil)
	return outcome{answer: a, name: nameOf(r), path: w.pathOf(r)}, err
}

func (w *work) pathOf(r *store.Record) string {
	if w.Op.On.Singleton {
		return w.path
	}
	return itemPath(w.path, r.Key)
}

// nameOf is what a resource is called in the journal.
func nameOf(r *store.Record) string { return cmp.Or(textOf(r.Data["name"]), r.Key) }

// about is an answer that shows a record.
func (w *work) about(r *store.Record) (Answer, error) {
	if w.Op.Answer.Raw {
		return Answer{Status: w.Op.Answer.Status, Media: cmp.Or(r.Media, "application/octet-stream"), Body: r.Blob}, nil
	}
	return w.enveloped(stateOf(r), w.present(w.Op.On, r))
}

// enveloped wraps data as the operation's schema does: {state, data}, or bare.
func (w *work) enveloped(state string, data map[string]any) (Answer, error) {
	s := w.Op.Answer.Schema
	if s == nil {
		return Answer{Status: w.Op.Answer.Status}, nil
	}
	out := map[string]any{}
	inner := shape.Property(s, "data")
	switch {
	case data == nil:
	case inner != nil:
		out["data"] = shape.Show(inner, data)
	default:
		out, _ = shape.Show(s, data).(map[string]any)
	}
	if shape.Property(s, "state") != nil && (inner != nil || data == nil) {
		out["state"] = state
	}
	if data != nil || inner == nil {
		shape.Fill(s, out, nil)
	}
	return encode(w.Op.Answer.Status, out)
}

func encode(status int, v any) (Answer, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return Answer{}, fmt.Errorf("encode the answer: %w", err)
	}
	return Answer{Status: status, Media: jsonMedia, Body: b.Bytes()}, nil
}

func stateOf(r *store.Record) string {
	if r.Change == store.Settled {
		return "executed"
	}
	return "pending"
}

// present is a record's data as of now: a read-only status follows what is
// happening to the resource.
func (w *work) present(c *model.Collection, r *store.Record) map[string]any {
	data := shape.Clone(r.Data)
	for _, name := range []string{"status", "state"} {
		for _, s := range c.Items {
			p := shape.Property(s, name)
			if p == nil || !shape.ReadOnly(p) {
				continue
			}
			if phase := phaseOf(p, r.Change); phase != "" {
				data[name] = phase
			}
		}
	}
	if show := w.Behaviours[c.Template].Show; show != nil {
		show(data, w.at)
	}
	return data
}

// settled are the words with which the platform's statuses say that all is done.
var settled = []string{"active", "created", "ready", "executed", "available", "running", "done", "enabled"}

// phaseOf picks the listed value that tells a change; "" when none does.
func phaseOf(s *openapi3.Schema, change store.Change) string {
	var words []string
	for _, v := range shape.Enum(s) {
		words = append(words, textOf(v))
	}
	if change == store.Settled {
		return firstOf(words, func(word string) bool {
			return strings.Contains(" "+strings.Join(settled, " ")+" ", " "+word+" ")
		})
	}
	deleting := func(word string) bool { return strings.HasPrefix(word, "delet") || strings.HasPrefix(word, "remov") }
	if change == store.Deleting {
		if word := firstOf(words, deleting); word != "" {
			return word
		}
	}
	return firstOf(words, func(word string) bool {
		return word == "pending" || strings.HasSuffix(word, "ing") && !deleting(word)
	})
}

func firstOf(words []string, is func(string) bool) string {
	for _, word := range words {
		if is(word) {
			return word
		}
	}
	return ""
}
