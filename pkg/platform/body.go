package platform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// bodyOf makes the request's body and what Preview shows of it. JSON has its
// keys in order and is not escaped for HTML, so the same arguments are always
// the same bytes, and those the person wrote.
func bodyOf(body *catalog.Body, args map[string]any) (encoded []byte, shown any, err error) {
	if body == nil {
		return nil, nil, nil
	}
	value, present := bodyValue(body, args)
	if !present {
		if body.Required {
			return nil, nil, wrong(body.Whole, "is missing")
		}
		return nil, nil, nil
	}
	if !isJSON(body.MediaType) {
		text, ok := value.(string)
		if !ok {
			return nil, nil, broken("A body of type %s cannot be made from these arguments.", body.MediaType)
		}
		return []byte(text), text, nil
	}
	encoded, err = encode(value)
	if err != nil {
		return nil, nil, broken("The body of this request cannot be written.").Wrap(err)
	}
	return encoded, value, nil
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

// isJSON reports whether a media type is JSON; none at all counts as JSON.
func isJSON(mediaType string) bool {
	name, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		name = strings.TrimSpace(mediaType)
	}
	return name == "" || name == "application/json" || strings.HasSuffix(name, "+json")
}
