package catalog

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog/internal/shape"
)

// Words of ArgEncoding; an answer of bytes uses them too.
const (
	EncodingText   = "texto"  // the bytes are the text in UTF-8; the default
	EncodingBase64 = "base64" // standard alphabet, padded
)

// MaxUpload is the largest body of bytes that a tool sends, in bytes (contract
// §2: by its own documented limit). In base64 it takes a third more of a request.
const MaxUpload = 4 << 20

// DecodeContent gives the bytes that a body in this encoding stands for.
func DecodeContent(text, encoding string) ([]byte, error) {
	if encoding != EncodingBase64 {
		return []byte(text), nil
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("read base64: %w", err)
	}
	return content, nil
}

// contentProps are the arguments of an operation that sends or answers bytes.
func (o *operation) contentProps() []shape.Prop {
	var out []shape.Prop
	if body := o.tool.Binding.Body; body != nil && o.sendsBytes() {
		body.Bytes = true
		out = append(out, shape.Prop{Name: ArgEncoding, Shape: shape.NewChoice(
			"How the content is written: texto (default), or base64 for bytes that are no text.", EncodingText, EncodingBase64)})
	}
	if o.tool.Binding.Content && o.method == "GET" {
		out = append(out, shape.Prop{Name: ArgRange, Shape: shape.NewMatching(
			"Which bytes, from 0: \"0-999\", or \"1000-\" to the end. An answer names its own part and the next.", `^[0-9]{1,15}-[0-9]{0,15}$`)})
	}
	for _, own := range out {
		if slices.ContainsFunc(o.params, func(p param) bool { return p.Arg == own.Name }) {
			o.complain(own.Name+" is the name of an argument that comes with bytes; the document's own needs another", "parameters")
		}
	}
	return out
}

// InParts reports whether the tool reads one resource, of which it answers a part
// where ArgRange asks for one. A content of bytes has an ArgRange of its own kind.
func (t *Tool) InParts() bool {
	b := t.Binding
	return b != nil && b.Method == "GET" && !b.Content && t.List == nil && !t.Writes() && !t.Command &&
		!slices.ContainsFunc(b.Params, func(p Param) bool { return p.Arg == ArgRange })
}

// sendsBytes: a body that is neither JSON nor a form, and described as bytes.
func (o *operation) sendsBytes() bool {
	media := o.tool.Binding.Body.MediaType
	return !isJSON(media) && !strings.Contains(media, "form") && o.body.Kind == shape.String && o.body.Format == "binary"
}

// checkContent looks at a body of bytes, which its shape says nothing about.
func (t *Tool) checkContent(clean map[string]any) []Fault {
	if t.Binding == nil || t.Binding.Body == nil || !t.Binding.Body.Bytes {
		return nil
	}
	text, given := clean[t.Binding.Body.Whole].(string)
	if !given {
		return nil
	}
	encoding, _ := clean[ArgEncoding].(string)
	content, err := DecodeContent(text, encoding)
	switch {
	case err != nil:
		return []Fault{fault(t.Binding.Body.Whole, "is no base64: it needs the standard alphabet and padding, without a prefix such as data:")}
	case len(content) > MaxUpload:
		return []Fault{fault(t.Binding.Body.Whole, "has %d bytes; at most %d can be sent", len(content), MaxUpload)}
	}
	return nil
}
