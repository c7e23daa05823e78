// Package ndjson reads newline-delimited JSON-RPC as real programs write it: with
// CRLF, blank lines, a byte order mark, and lines of any length, of which it keeps
// no more than it was told. What a line means is its caller's.
package ndjson

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"regexp"
)

// Reader reads lines of bounded length. CRLF, blank lines and a byte order mark
// are taken away.
type Reader struct {
	in    *bufio.Reader
	limit int
}

// NewReader reads lines of at most limit bytes.
func NewReader(from io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReaderSize(from, 64<<10), limit: limit}
}

// ends is how much is kept of both ends of a line that is too long.
const ends = 1 << 10

// Next is the next line that is not blank. Of one that is too long it gives both
// ends, which is where a message's id stands. The line is the caller's to keep.
func (r *Reader) Next() (line []byte, tooLong bool, err error) {
	for {
		line, tooLong, err = r.read()
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		if len(line) > 0 {
			return line, tooLong, nil // an error comes again with the next call
		}
		if err != nil {
			return nil, false, err
		}
	}
}

func (r *Reader) read() (line []byte, tooLong bool, err error) {
	var tail []byte
	for {
		part, err := r.in.ReadSlice('\n')
		switch {
		case !tooLong && len(line)+len(part) <= r.limit:
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

// ID is the id of a message of which only both ends are known, as Next gives a
// line that is too long. ok is false where the ends do not tell.
func ID(ends []byte) (id json.RawMessage, ok bool) {
	found := idFirst.FindSubmatch(ends)
	if found == nil {
		found = idLast.FindSubmatch(ends)
	}
	if found == nil {
		return nil, false
	}
	return found[1], true
}
