package platform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// statePending is the word of the platform for work that is not done yet.
const statePending = "pending"

// decode makes the answer of a 2xx. Its error means that the body is not what
// the tool promises: broken off, no JSON, a page of some gateway.
func decode(binding *catalog.Binding, got *reply) (*Answer, error) {
	if got.broken != nil {
		return nil, fmt.Errorf("read the answer: %w", got.broken)
	}
	value, err := decodeValue(binding, got)
	if err != nil {
		return nil, err
	}
	return &Answer{
		Status:  got.status,
		Value:   value,
		Pending: got.status == http.StatusAccepted || value["state"] == statePending,
	}, nil
}

func decodeValue(binding *catalog.Binding, got *reply) (map[string]any, error) {
	contentType := got.header.Get("Content-Type")
	switch {
	case binding.Content:
		return contentOf(got), nil // JSON too: who stores a file wants the very file back
	case len(bytes.TrimSpace(got.body)) == 0 && isJSON(binding.Accepts):
		return map[string]any{}, nil
	case isJSON(binding.Accepts) && isPage(contentType, got.body):
		return nil, fmt.Errorf("a page of type %q instead of JSON", contentType)
	case isJSON(binding.Accepts), isJSON(contentType) && contentType != "":
		return decodeObject(got.body)
	}
	return contentOf(got), nil
}

// decodeObject decodes one JSON value, every digit kept; one that is no object
// stands under "data".
func decodeObject(body []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("decode JSON: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the JSON value")
	}
	if object, ok := value.(map[string]any); ok {
		return object, nil
	}
	return map[string]any{"data": value}, nil
}

// isPage reports whether a body is made for a browser, whatever its type says.
func isPage(contentType string, body []byte) bool {
	mediaType, _, _ := mime.ParseMediaType(contentType)
	return mediaType == "text/html" || mediaType == "application/xhtml+xml" ||
		strings.HasPrefix(strings.TrimSpace(string(body[:min(len(body), 64)])), "<")
}
