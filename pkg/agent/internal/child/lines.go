package child

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lines reads lines of bounded length. CRLF, blank lines and a byte order mark
// are taken away.
type lines struct {
	in    *bufio.Reader
	limit int
}

func newLines(from io.Reader, limit int) *lines {
	return &lines{in: bufio.NewReaderSize(from, 64<<10), limit: limit}
}

// ends is how much is kept of both ends of a line that is too long.
const ends = 1 << 10

// next is the next line that is not blank. Of one that is too long it gives both
// ends, which is where a message's id stands. The line is the caller's to keep.
func (l *lines) next() (line []byte, tooLong bool, err error) {
	for {
		line, tooLong, err = l.read()
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		if len(line) > 0 {
			return line, tooLong, nil // an error comes again with the next call
		}
		if err != nil {
			return nil, false, err
		}
	}
}

func (l *lines) read() (line []byte, tooLong bool, err error) {
	var tail []byte
	for {
		part, err := l.in.ReadSlice('\n')
		switch {
		case !tooLong && len(line)+len(part) <= l.limit:
			line = append(line, part...)
		case !tooLong:
			tooLong = true
			all := append(line, part...)
			line, tail = bytes.Clone(all[:min(ends, len(all))]), lastOf(all)
		default:
			tail = lastOf(append(tail, part...))
		}
		if err != bufio.ErrBufferFull {
			return append(line, tail...), tooLong, err
		}
	}
}

func lastOf(text []byte) []byte { return bytes.Clone(text[max(0, len(text)-ends):]) }

// The id of an answer, first in the object or last; a member of the same name
// deeper inside can stand in neither place.
var (
	idFirst = regexp.MustCompile(`^\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]*")`)
	idLast  = regexp.MustCompile(`\}\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]*")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}$`)
)

// refuseLong is the answer to the call that a line which was too long belongs to,
// or nil where the line does not tell.
func refuseLong(ends []byte, limit int) jsonrpc.Message {
	found := idFirst.FindSubmatch(ends)
	if found == nil {
		found = idLast.FindSubmatch(ends)
	}
	if found == nil {
		return nil
	}
	var raw any
	if err := json.Unmarshal(found[1], &raw); err != nil {
		return nil
	}
	id, err := jsonrpc.MakeID(raw)
	if err != nil {
		return nil
	}
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{
		Code:    jsonrpc.CodeInternalError,
		Message: fmt.Sprintf("the server's answer is longer than %d bytes and was dropped", limit),
	}}
}
