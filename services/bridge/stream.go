package bridge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// event is one server-sent event.
type event struct {
	id   string
	data []byte
}

var errLongEvent = errors.New("an event of the server is too long")

// events reads a stream of server-sent events to its end.
func events(from io.Reader, each func(event)) error {
	in := bufio.NewReaderSize(from, 64<<10)
	var e event
	var data bytes.Buffer
	named := ""
	for {
		line, err := readLine(in, maxMessage-data.Len())
		if err != nil {
			return err
		}
		if len(line) == 0 {
			if data.Len() > 0 && (named == "" || named == "message") {
				e.data = bytes.TrimSuffix(bytes.Clone(data.Bytes()), []byte("\n"))
				each(e)
			} else if e.id != "" && data.Len() == 0 {
				each(event{id: e.id})
			}
			e, named = event{id: e.id}, ""
			data.Reset()
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			data.Write(value)
			data.WriteByte('\n')
		case "id":
			e.id = string(value)
		case "event":
			named = string(value)
		}
	}
}

// readLine reads a line of at most limit bytes, without its end.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > limit {
			return nil, errLongEvent
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return nil, err
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

// stream writes the messages of a stream that answers m. One that breaks before
// the answer is taken up again where the server gave its events ids.
func (r *relay) stream(ctx context.Context, m message, body io.ReadCloser) (map[string]bool, *refusal) {
	answered := map[string]bool{}
	last := ""
	take := func(e event) {
		if e.id != "" {
			last = e.id
		}
		r.pass(&m, e.data, answered)
	}
	for n := 0; ; n++ {
		err := events(body, take)
		_ = body.Close()
		switch {
		case len(answered) >= len(m.requests()) || ctx.Err() != nil:
			return answered, nil
		case errors.Is(err, errLongEvent):
			return answered, &refusal{text: fmt.Sprintf("the server's answer is longer than %d bytes and was dropped", maxMessage)}
		case last == "" || n == retries:
			return answered, &refusal{text: "the server's stream ended without an answer; whether the request took effect is not known"}
		}
		if !sleep(ctx, r.pause(n)) {
			return answered, nil
		}
		if body = r.open(ctx, last); body == nil {
			return answered, &refusal{text: "the server's stream broke and could not be taken up again"}
		}
	}
}

// open opens the server's own stream, or the rest of one after its event last; nil
// where the server does not offer it.
func (r *relay) open(ctx context.Context, last string) io.ReadCloser {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return nil
	}
	req.Header.Set("Accept", "text/event-stream")
	if last != "" {
		req.Header.Set("Last-Event-Id", last)
	}
	r.current().describe(req.Header, &message{})
	resp, err := r.client.Do(req)
	if err != nil {
		return nil
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		_ = resp.Body.Close()
		return nil
	}
	return resp.Body
}
