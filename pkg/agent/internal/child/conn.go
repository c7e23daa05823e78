package child

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/comporta-mcp/comporta/pkg/agent/ndjson"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Transport starts the command when a client connects.
type Transport struct {
	Command Command

	// MaxLine bounds one message of the server, in bytes. Zero means DefaultMaxLine.
	MaxLine int
}

// DefaultMaxLine is 32 MiB: an answer as large as go-sdk's own transports take, twice.
const DefaultMaxLine = 32 << 20

// waiting is how many messages may wait for a child that does not read.
const waiting = 16

// Connect implements [mcp.Transport].
func (t *Transport) Connect(context.Context) (mcp.Connection, error) { return t.Start() }

// Start starts the child. The connection's Close ends it.
func (t *Transport) Start() (*Conn, error) {
	p, err := start(t.Command)
	if err != nil {
		return nil, err
	}
	limit := t.MaxLine
	if limit <= 0 {
		limit = DefaultMaxLine
	}
	c := &Conn{
		child: p, closed: make(chan struct{}),
		incoming: make(chan jsonrpc.Message), outgoing: make(chan []byte, waiting),
	}
	c.running.Go(func() { c.readAll(ndjson.NewReader(p.stdout, limit), limit) })
	c.running.Go(c.writeAll)
	return c, nil
}

// Conn is the connection with one child. It implements [mcp.Connection].
type Conn struct {
	child    *process
	incoming chan jsonrpc.Message
	outgoing chan []byte   // lines
	closed   chan struct{} // by Close
	close    sync.Once
	running  sync.WaitGroup // the reader and the writer

	mu      sync.Mutex
	garbage int
	sample  string
}

func (c *Conn) readAll(in *ndjson.Reader, limit int) {
	defer close(c.incoming)
	for {
		line, tooLong, err := in.Next()
		if err != nil {
			return
		}
		if tooLong {
			c.deliver(refuseLong(line, limit))
			continue
		}
		messages, err := decode(line)
		if err != nil {
			c.note(line)
			continue
		}
		for _, m := range messages {
			c.deliver(m)
		}
	}
}

func (c *Conn) deliver(m jsonrpc.Message) {
	if m == nil {
		return
	}
	select {
	case c.incoming <- m:
	case <-c.closed:
	}
}

// note counts a line that is no message.
func (c *Conn) note(line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.garbage++
	c.sample = string(line[:min(len(line), 120)])
}

// Garbage is how many lines of stdout were no messages, and the last of them.
func (c *Conn) Garbage() (count int, last string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.garbage, c.sample
}

// Stderr are the child's last lines on stderr.
func (c *Conn) Stderr() []string { return c.child.stderr.last() }

// Why tells how the child ended. It waits for the end.
func (c *Conn) Why() error { return c.child.why() }

// Read implements [mcp.Connection].
func (c *Conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, open := <-c.incoming:
		if !open {
			return nil, io.EOF
		}
		return m, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements [mcp.Connection]. It hands the message to the writer: a child
// that does not read holds up a caller no longer than its ctx lives, and no
// message is ever cut in the middle.
func (c *Conn) Write(ctx context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	select {
	case c.outgoing <- append(data, '\n'):
		return nil
	case <-c.closed:
		return os.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writeAll writes until the end. A child that closed its stdin is of no use: it
// is ended, and the reader tells.
func (c *Conn) writeAll() {
	for {
		select {
		case data := <-c.outgoing:
			if _, err := c.child.stdin.Write(data); err != nil {
				killGroup(c.child.cmd.Process)
				return
			}
		case <-c.closed:
			return
		}
	}
}

// Close implements [mcp.Connection]. It returns when the child is gone.
func (c *Conn) Close() error {
	c.close.Do(func() { close(c.closed) })
	c.child.end()
	c.running.Wait()
	return nil
}

// SessionID implements [mcp.Connection].
func (c *Conn) SessionID() string { return "" }

// decode reads a line: one message, or a batch of an older server.
func decode(line []byte) ([]jsonrpc.Message, error) {
	if line[0] != '[' {
		m, err := jsonrpc.DecodeMessage(line)
		return []jsonrpc.Message{m}, err
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(line, &batch); err != nil {
		return nil, err
	}
	var all []jsonrpc.Message
	for _, one := range batch {
		m, err := jsonrpc.DecodeMessage(one)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// refuseLong is the answer to the call that a line which was too long belongs to,
// or nil where the line does not tell.
func refuseLong(ends []byte, limit int) jsonrpc.Message {
	text, ok := ndjson.ID(ends)
	if !ok {
		return nil
	}
	var raw any
	if err := json.Unmarshal(text, &raw); err != nil {
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
