package platform

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

const (
	// maxPart is how much of a content is fetched at once: what 60 000 characters
	// (contract §5) of four bytes take, so that an answer is always filled.
	maxPart = 240_000
	// maxCounted bounds how far a content of untold length is read to count it.
	maxCounted = 1 << 30
)

// span is which bytes of a content are asked for, both ends included.
type span struct{ first, last int64 }

// spanOf is the part that a call of a tool with a content asks for; nil for
// other tools. It is never more than one answer can hold.
func spanOf(tool *catalog.Tool, args map[string]any) (*span, error) {
	if !tool.Binding.Content || tool.Binding.Method != http.MethodGet {
		return nil, nil
	}
	s := &span{last: maxPart - 1}
	text, asked := args[catalog.ArgRange].(string)
	if !asked {
		return s, nil
	}
	from, to, _ := strings.Cut(text, "-")
	var err error
	if s.first, err = strconv.ParseInt(from, 10, 64); err != nil {
		return nil, wrong(catalog.ArgRange, "must be two numbers of bytes, such as 0-999")
	}
	s.last = s.first + maxPart - 1
	if to == "" {
		return s, nil
	}
	last, err := strconv.ParseInt(to, 10, 64)
	if err != nil || last < s.first {
		return nil, wrong(catalog.ArgRange, "ends before it begins")
	}
	s.last = min(s.last, last)
	return s, nil
}

func (s span) header() string { return fmt.Sprintf("bytes=%d-%d", s.first, s.last) }

// part is what came of a content: its bytes are the reply's body.
type part struct {
	first int64
	total int64 // of the whole content; -1 where nobody told
}

var contentRange = regexp.MustCompile(`^bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)$`)

// readPart reads the asked bytes of an answer, whether or not the platform knows
// what a range is.
func readPart(answer *http.Response, asked span) (body []byte, got part, err error) {
	switch answer.StatusCode {
	case http.StatusPartialContent:
		told := contentRange.FindStringSubmatch(answer.Header.Get("Content-Range"))
		if told == nil {
			return nil, got, errors.New("a part that does not say which one it is")
		}
		got = part{first: number(told[1]), total: number(told[2])}
		if got.first != asked.first {
			return nil, got, fmt.Errorf("the part from byte %d was asked for, that from %d came", asked.first, got.first)
		}
		body, err = io.ReadAll(io.LimitReader(answer.Body, asked.last-asked.first+1))
		return body, got, err
	default:
		return cutPart(answer, asked)
	}
}

// cutPart takes the asked bytes out of the whole content.
func cutPart(answer *http.Response, asked span) (body []byte, got part, err error) {
	got = part{first: asked.first, total: answer.ContentLength}
	skipped, err := io.Copy(io.Discard, io.LimitReader(answer.Body, asked.first))
	if err != nil {
		return nil, got, err
	}
	body, err = io.ReadAll(io.LimitReader(answer.Body, asked.last-asked.first+1))
	if err != nil || got.total >= 0 {
		return body, got, err
	}
	rest, err := io.Copy(io.Discard, io.LimitReader(answer.Body, maxCounted))
	if rest < maxCounted {
		got.total = skipped + int64(len(body)) + rest
	}
	return body, got, err
}

func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return -1 // "*": untold
	}
	return n
}

// contentOf is the form of an answer of bytes: text as text, anything else in
// base64, with its true size and the part that comes after.
func contentOf(got *reply) map[string]any {
	value := map[string]any{"media_type": mediaTypeOf(got.header.Get("Content-Type"))}
	body, at := got.body, part{total: int64(len(got.body))}
	if got.part != nil {
		at = *got.part
	}
	ended := at.total >= 0 && at.first+int64(len(body)) >= at.total
	if whole := wholeRunes(body); !ended && len(whole) > 0 {
		body = whole
	}
	if isText(body) {
		value["data"], value["codificacion"] = string(body), catalog.EncodingText
	} else {
		body = got.body
		value["data"], value["codificacion"] = base64.StdEncoding.EncodeToString(body), catalog.EncodingBase64
	}
	if at.total >= 0 {
		value["tamano"] = at.total
	}
	if next := at.first + int64(len(body)); len(body) > 0 {
		value["rango"] = fmt.Sprintf("%d-%d", at.first, next-1)
		if got.part != nil && next != at.total {
			value["rango_siguiente"] = fmt.Sprintf("%d-", next)
		}
	}
	return value
}

func isText(body []byte) bool { return utf8.Valid(body) && bytes.IndexByte(body, 0) < 0 }

// wholeRunes leaves out the beginning of a character at the end, whose rest is in
// the next part.
func wholeRunes(body []byte) []byte {
	for back := 1; back < utf8.UTFMax && back <= len(body); back++ {
		at := len(body) - back
		if utf8.RuneStart(body[at]) {
			if !utf8.FullRune(body[at:]) {
				return body[:at]
			}
			break
		}
	}
	return body
}

// mediaTypeOf is a content's type and character set. Other parameters are free
// text of whoever stored it, and stay out.
func mediaTypeOf(contentType string) string {
	mediaType, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return "application/octet-stream"
	}
	if charset := params["charset"]; charsetName.MatchString(charset) {
		return mediaType + "; charset=" + charset
	}
	return mediaType
}

var charsetName = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,40}$`)
