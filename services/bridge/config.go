package bridge

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"
)

// Config is one bridge.
type Config struct {
	URL      string            // of the server, an area's /mcp
	Header   http.Header       // sent with each request, to the URL's origin only
	ReadOnly bool              // only tools that say they read
	Base     http.RoundTripper // nil: [http.DefaultTransport]; sign-in is wrapped around it
	Timeout  time.Duration     // until the first byte of an answer. Default 10 min
	Wait     time.Duration     // before the first repeat of what did not reach the server. Default 1 s
	In       io.Reader
	Out      io.Writer    // messages, and nothing else
	Log      *slog.Logger // nil: nothing is logged
}

// Bounds.
const (
	defaultTimeout = 10 * time.Minute // longer than the longest wait of a tool (300 s)
	maxMessage     = 64 << 20         // bytes of one message, either way
	leaving        = 5 * time.Second  // how long answers are waited for after stdin has closed
	goodbye        = 2 * time.Second  // for the request that ends a session
)

// Reconnecting: contract §12's policy. The wait doubles each time.
const (
	retries  = 2
	wait     = time.Second
	longWait = 10 * time.Second
)

func (c *Config) prepare() error {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is no http or https address of an MCP server", c.URL)
	}
	if c.In == nil || c.Out == nil {
		return errors.New("a bridge needs In and Out")
	}
	if c.Base == nil {
		c.Base = http.DefaultTransport
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.Wait <= 0 {
		c.Wait = wait
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return nil
}
