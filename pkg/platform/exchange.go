package platform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// maxBody bounds an answer of the platform: agents get 60 000 characters at most
// (contract §5), and the largest page of 100 resources stays far below this.
const maxBody = 8 << 20

var errTooLarge = fmt.Errorf("the answer is larger than %d bytes", maxBody)

// reply is what came back for one sent request.
type reply struct {
	status int
	header http.Header
	body   []byte
	broken error // the body did not arrive whole
	part   *part // which bytes of a content body is; nil: all, or no content
}

// lostError is a request that got no answer.
type lostError struct {
	cause error
	sent  bool // some of it may have reached the platform
}

func (e *lostError) Error() string {
	if e.sent {
		return fmt.Sprintf("sent, no answer: %v", e.cause)
	}
	return fmt.Sprintf("nothing was sent: %v", e.cause)
}

func (e *lostError) Unwrap() error { return e.cause }

// exchange sends the request once and waits at most timeout for all of the
// answer. Its error is a *lostError.
func (c *Client) exchange(ctx context.Context, r Request, out *outgoing, timeout time.Duration) (*reply, error) {
	began := c.now()
	got, err := c.roundTrip(ctx, r, out, timeout)
	if err == nil {
		got.scrub(r, out) // before anybody keeps it
	}
	c.metrics.observe(r.Tool.Name, out.method, got, c.now().Sub(began))
	c.report(ctx, r, out, got, err)
	return got, err
}

// scrub takes out what must not come back: the credential, and the caller's secrets.
func (got *reply) scrub(r Request, out *outgoing) {
	if got.part != nil {
		got.body = blank(got.body, r.Authorization)
		got.narrow(*out.part)
		return
	}
	got.body = scrubArguments(Scrub(got.body, r.Authorization), got.status, r)
}

func (c *Client) roundTrip(ctx context.Context, r Request, out *outgoing, timeout time.Duration) (*reply, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var sent atomic.Bool
	request, err := http.NewRequestWithContext(watchSending(ctx, &sent), out.method, out.url.String(), bodyReader(out.body))
	if err != nil {
		return nil, &lostError{cause: err}
	}
	request.Header = out.header.Clone()
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, &lostError{cause: withCause(ctx, err), sent: sent.Load()}
	}
	defer answer.Body.Close()
	got := &reply{status: answer.StatusCode, header: answer.Header}
	if out.part != nil && answer.StatusCode/100 == 2 {
		got.part = new(part)
		got.body, *got.part, got.broken = readPart(answer, out.part.around(r.Authorization))
		return got, nil
	}
	got.body, got.broken = readAll(answer.Body)
	return got, nil
}

// watchSending sets sent once the first byte of the request is on its way.
// net/http asks for a connection again only where nothing was written on the one
// before (the methods that it repeats more freely carry no write here), so each
// new search starts at "nothing sent".
func watchSending(ctx context.Context, sent *atomic.Bool) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:          func(string) { sent.Store(false) },
		WroteHeaderField: func(string, []string) { sent.Store(true) },
		WroteHeaders:     func() { sent.Store(true) },
		WroteRequest:     func(httptrace.WroteRequestInfo) { sent.Store(true) },
	})
}

// bodyReader keeps "no body" a nil, which net/http tells from an empty one.
func bodyReader(body []byte) io.Reader {
	if body == nil {
		return nil
	}
	return bytes.NewReader(body)
}

func readAll(from io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = errTooLarge
	}
	return body, err
}

// withCause keeps why the context ended beside what net/http says.
func withCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return errors.Join(cause, err)
	}
	return err
}

// report logs what the caller must not see: causes, addresses, upstream pages.
func (c *Client) report(ctx context.Context, r Request, out *outgoing, got *reply, err error) {
	switch {
	case err != nil:
		c.log.WarnContext(ctx, "the platform did not answer", "tool", r.Tool.Name, "method", out.method, "error", bare(err))
	case got.broken != nil:
		c.log.WarnContext(ctx, "the platform's answer broke off", "tool", r.Tool.Name, "status", got.status, "error", got.broken)
	case got.status >= 500:
		c.log.WarnContext(ctx, "the platform failed", "tool", r.Tool.Name, "status", got.status,
			"type", got.header.Get("Content-Type"), "request", requestID(got.header))
	}
}
