package platform

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"mime/multipart"
	"slices"
	"strconv"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// payload is a request's body.
type payload struct {
	bytes     []byte // nil: none
	mediaType string // for Content-Type
	shown     any    // for Preview
}

// payloadOf makes the request's body. The same arguments are always the same
// bytes: JSON has its keys in order, and is not escaped for HTML, since these
// are the person's own texts.
func payloadOf(body *catalog.Body, args map[string]any) (payload, error) {
	if body == nil {
		return payload{}, nil
	}
	value, present := bodyValue(body, args)
	if !present {
		if body.Required {
			return payload{}, wrong(body.Whole, "is missing")
		}
		return payload{}, nil
	}
	if body.Bytes {
		return bytesOf(body, args, value)
	}
	out := payload{mediaType: body.MediaType, shown: value}
	name, _, _ := mime.ParseMediaType(body.MediaType)
	fields, isObject := value.(map[string]any)
	text, isText := value.(string)
	var err error
	switch {
	case isJSON(body.MediaType):
		out.bytes, err = encode(value)
	case name == "application/x-www-form-urlencoded" && isObject:
		out.bytes, err = formOf(fields, body.Deep)
	case name == "multipart/form-data" && isObject:
		out.bytes, out.mediaType, err = multipartOf(fields)
	case isText:
		out.bytes = []byte(text)
	default:
		err = fmt.Errorf("a %T as %s", value, body.MediaType)
	}
	if err != nil {
		return payload{}, broken("The body of this request cannot be written.").Wrap(err)
	}
	return out, nil
}

// bytesOf is a body of bytes. Its type is the one that the caller names; without
// one none is sent, since a platform that is told one does not look for itself.
func bytesOf(body *catalog.Body, args map[string]any, value any) (payload, error) {
	text, isText := value.(string)
	encoding, _ := args[catalog.ArgEncoding].(string)
	content, err := catalog.DecodeContent(text, encoding)
	if !isText || err != nil {
		return payload{}, wrong(body.Whole, "is not written as codificacion says").Wrap(err)
	}
	out := payload{bytes: content, mediaType: body.MediaType, shown: value}
	if body.TypeArg != "" {
		out.mediaType, _ = args[body.TypeArg].(string)
	}
	return out, nil
}

// bodyValue is the body before encoding. A required body without fields is an empty object.
func bodyValue(body *catalog.Body, args map[string]any) (value any, present bool) {
	if body.Whole != "" {
		value, present = args[body.Whole]
		return value, present
	}
	fields := map[string]any{}
	for _, name := range body.Fields {
		if value, present := args[name]; present {
			fields[name] = value
		}
	}
	return fields, len(fields) > 0 || body.Required
}

func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// formOf writes fields as an HTML form does. What is inside a field is JSON, or
// stands as name[key]=value where the field is among deep.
func formOf(fields map[string]any, deep []string) ([]byte, error) {
	q := query{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if fields[name] == nil {
			continue
		}
		if slices.Contains(deep, name) {
			if err := q.deep(name, percent(name), indexed(fields[name])); err != nil {
				return nil, err
			}
			continue
		}
		text, err := partOf(fields[name])
		if err != nil {
			return nil, err
		}
		q.pair(name, text)
	}
	return []byte(q.String()), nil
}

// indexed turns lists into objects with the keys 0, 1, …: a form that nests tells
// the fields of one element from those of the next by its number.
func indexed(value any) any {
	out := map[string]any{}
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			out[key] = indexed(inner)
		}
	case []any:
		for i, inner := range v {
			out[strconv.Itoa(i)] = indexed(inner)
		}
	default:
		return value
	}
	return out
}

// multipartOf writes fields as parts. The boundary comes from the fields, so
// that a preview and the request it shows are the same bytes.
func multipartOf(fields map[string]any) (body []byte, mediaType string, err error) {
	all, err := encode(fields)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(all)
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary("part-" + hex.EncodeToString(sum[:])); err != nil {
		return nil, "", fmt.Errorf("set the boundary: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if fields[name] == nil {
			continue
		}
		text, err := partOf(fields[name])
		if err != nil {
			return nil, "", err
		}
		if err := w.WriteField(name, text); err != nil {
			return nil, "", fmt.Errorf("write the part %s: %w", name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", fmt.Errorf("end the parts: %w", err)
	}
	return b.Bytes(), w.FormDataContentType(), nil
}

// partOf is a form field's text: a scalar as it is, anything deeper as JSON.
func partOf(value any) (string, error) {
	if text, err := scalar(value); err == nil {
		return text, nil
	}
	text, err := encode(value)
	return string(text), err
}

// isJSON reports whether a media type is JSON; none at all counts as JSON.
func isJSON(mediaType string) bool {
	name, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		name = strings.TrimSpace(mediaType)
	}
	return name == "" || name == "application/json" || strings.HasSuffix(name, "+json")
}
