package ndjson

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestLinesAreReadAsRealServersWriteThem(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"LF":                        {"a\nb\n", []string{"a", "b"}},
		"CRLF":                      {"a\r\nb\r\n", []string{"a", "b"}},
		"blank lines are no lines":  {"\n\r\n  \na\n\n", []string{"a"}},
		"a byte order mark":         {"\ufeffa\n", []string{"a"}},
		"the last without its end":  {"a\nb", []string{"a", "b"}},
		"nothing":                   {"", nil},
		"a line of 100 KiB":         {strings.Repeat("x", 100<<10) + "\nb\n", []string{strings.Repeat("x", 100<<10), "b"}},
		"one as long as allowed":    {strings.Repeat("x", limit-1) + "\nb\n", []string{strings.Repeat("x", limit-1), "b"}},
		"a character over a border": {strings.Repeat("x", 64<<10-1) + "ç\n", []string{strings.Repeat("x", 64<<10-1) + "ç"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			in := NewReader(strings.NewReader(c.text), limit)
			for {
				line, tooLong, err := in.Next()
				if err != nil {
					if !errors.Is(err, io.EOF) {
						t.Error(err)
					}
					break
				}
				if tooLong {
					t.Error("too long")
				}
				got = append(got, string(line))
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("%d lines, want %d", len(got), len(c.want))
			}
		})
	}
}

const limit = 200 << 10

// TestALineThatIsTooLongFailsItsCallAlone is B41's other half.
func TestALineThatIsTooLongFailsItsCallAlone(t *testing.T) {
	body := `"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", limit) + `","id":99}]}`
	for name, c := range map[string]struct {
		line string
		id   string // empty: not to be told
	}{
		"the id first":                    {`{"jsonrpc":"2.0","id":7,` + body + `}`, "7"},
		"the id first, a string":          {`{"id":"abc","jsonrpc":"2.0",` + body + `}`, `"abc"`},
		"the id last":                     {`{` + body + `,"jsonrpc":"2.0","id":8}`, "8"},
		"the id before the version":       {`{` + body + `,"id":9,"jsonrpc":"2.0"}`, "9"},
		"an id inside is not the id":      {`{"jsonrpc":"2.0",` + body + `}`, ""},
		"a notification has none":         {`{"jsonrpc":"2.0","method":"x","params":{"t":"` + strings.Repeat("x", limit) + `"}}`, ""},
		"far more than is kept in memory": {`{"jsonrpc":"2.0","id":7,"result":"` + strings.Repeat("x", 20*limit) + `"}`, "7"},
	} {
		t.Run(name, func(t *testing.T) {
			in := NewReader(strings.NewReader(c.line+"\n{}\n"), limit)
			line, tooLong, err := in.Next()
			if err != nil || !tooLong || len(line) > 2*ends {
				t.Fatalf("%d bytes kept, too long %t, error %v", len(line), tooLong, err)
			}
			if id, ok := ID(line); string(id) != c.id || ok != (c.id != "") {
				t.Errorf("id %s, want %s", id, c.id)
			}
			if next, tooLong, err := in.Next(); string(next) != "{}" || tooLong || err != nil {
				t.Errorf("the next line is %q, %t, %v", next, tooLong, err)
			}
		})
	}
}

// FuzzLines: whatever a child prints, reading ends, in bounded memory, and loses
// no line that is short enough.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\r\n\r\n\ufeff{}\nx"), 4)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), 10)
	f.Fuzz(func(t *testing.T, text []byte, limit int) {
		limit = max(1, limit%4096)
		in := NewReader(bytes.NewReader(text), limit)
		for range len(text) + 2 {
			line, tooLong, err := in.Next()
			if err != nil {
				return
			}
			if len(line) == 0 || !tooLong && len(line) > limit || len(line) > limit+2*ends {
				t.Fatalf("a line of %d bytes, limit %d, too long %t", len(line), limit, tooLong)
			}
			if tooLong {
				ID(line)
			}
		}
		t.Fatal("reading does not end")
	})
}
