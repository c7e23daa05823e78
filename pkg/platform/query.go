package platform

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// styleJSON is the catalogue's word for a parameter whose content is JSON.
const styleJSON = "json"

// query is a raw query string under construction. Every value is percent-encoded
// once; nothing that is unset appears.
type query struct{ strings.Builder }

func (q *query) pair(name, value string) { q.raw(percent(name), percent(value)) }

func (q *query) raw(name, value string) {
	if q.Len() > 0 {
		q.WriteByte('&')
	}
	q.WriteString(name + "=" + value)
}

func (q *query) page(list *catalog.List, p page) {
	if list.PageArg != "" {
		q.pair(list.PageArg, strconv.Itoa(p.number))
	}
	if list.SizeArg != "" {
		q.pair(list.SizeArg, strconv.Itoa(p.size))
	}
}

// add writes one parameter by its OpenAPI style. An empty array is an unset one,
// as in RFC 6570; an empty text is a value.
func (q *query) add(param catalog.Param, value any) error {
	if param.Style == styleJSON && value != nil {
		text, err := encode(value)
		if err != nil {
			return wrong(param.Arg, "cannot be written as JSON")
		}
		q.pair(param.Name, string(text))
		return nil
	}
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		return q.array(param, v)
	case map[string]any:
		return q.object(param, v)
	}
	text, err := scalar(value)
	if err != nil {
		return wrong(param.Arg, "%s", err)
	}
	q.pair(param.Name, text)
	return nil
}

func (q *query) array(param catalog.Param, values []any) error {
	texts, err := scalars(param.Arg, values)
	if err != nil || len(texts) == 0 {
		return err
	}
	if param.Explode || param.Style == "deepObject" { // OpenAPI leaves an array in deepObject open
		for _, text := range texts {
			q.pair(param.Name, text)
		}
		return nil
	}
	joined, err := join(param, texts)
	if err != nil {
		return err
	}
	q.raw(percent(param.Name), joined)
	return nil
}

func (q *query) object(param catalog.Param, object map[string]any) error {
	if param.Style == "deepObject" {
		return q.deep(param.Arg, percent(param.Name), object)
	}
	var flat []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if object[key] == nil {
			continue
		}
		text, err := scalar(object[key])
		if err != nil {
			return wrong(param.Arg+"."+key, "%s", err)
		}
		if param.Explode {
			q.pair(key, text)
		} else {
			flat = append(flat, key, text)
		}
	}
	if len(flat) == 0 {
		return nil
	}
	joined, err := join(param, flat)
	if err != nil {
		return err
	}
	q.raw(percent(param.Name), joined)
	return nil
}

// deep writes name[key]=value, nested as often as the object is.
func (q *query) deep(arg, name string, value any) error {
	switch v := value.(type) {
	case nil:
		return nil
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := q.deep(arg+"."+key, name+"%5B"+percent(key)+"%5D", v[key]); err != nil {
				return err
			}
		}
		return nil
	case []any:
		for i, item := range v {
			if err := q.deep(fmt.Sprintf("%s[%d]", arg, i), name, item); err != nil {
				return err
			}
		}
		return nil
	}
	text, err := scalar(value)
	if err != nil {
		return wrong(arg, "%s", err)
	}
	q.raw(name, percent(text))
	return nil
}

// join puts the encoded texts behind each other with the style's separator. A
// space or a bar is encoded like any other, so a value that holds it would be
// torn apart on the other side: such a value is refused. A comma is not.
func join(param catalog.Param, texts []string) (string, error) {
	separator, forbidden := ",", ""
	switch param.Style {
	case "spaceDelimited":
		separator, forbidden = "%20", " "
	case "pipeDelimited":
		separator, forbidden = "%7C", "|"
	}
	encoded := make([]string, len(texts))
	for i, text := range texts {
		if forbidden != "" && strings.Contains(text, forbidden) {
			return "", wrong(param.Arg, "must not hold %q: it separates the values", forbidden)
		}
		encoded[i] = percent(text)
	}
	return strings.Join(encoded, separator), nil
}

func scalars(arg string, values []any) ([]string, error) {
	texts := make([]string, 0, len(values))
	for i, value := range values {
		if value == nil {
			continue
		}
		text, err := scalar(value)
		if err != nil {
			return nil, wrong(fmt.Sprintf("%s[%d]", arg, i), "%s", err)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// simple writes a path or header value by the style of that name, not encoded.
func simple(param catalog.Param, value any) (text string, present bool, err error) {
	switch v := value.(type) {
	case nil:
		return "", false, nil
	case []any:
		texts, err := scalars(param.Arg, v)
		return strings.Join(texts, ","), len(texts) > 0, err
	case map[string]any:
		between := ","
		if param.Explode {
			between = "="
		}
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			text, err := scalar(v[key])
			if err != nil {
				return "", false, wrong(param.Arg+"."+key, "%s", err)
			}
			parts = append(parts, key+between+text)
		}
		return strings.Join(parts, ","), len(parts) > 0, nil
	}
	if text, err = scalar(value); err != nil {
		return "", false, wrong(param.Arg, "%s", err)
	}
	return text, true, nil
}

// percent encodes everything but RFC 3986's unreserved characters, in UTF-8.
func percent(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
