// Package platform carries a tool and its arguments to the platform's API and
// brings the answer, or a problem, back. It owns how a request is built, sent,
// repeated and judged: which writes certainly failed, which may be sent again,
// and which nobody knows about. It knows tools as data and nothing of callers,
// stages or MCP; what must survive a crash belongs to package once.
package platform

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
)

// Config says how to reach the platform.
type Config struct {
	URL string `help:"base URL of the platform's API, such as https://api.azion.com/v4"`
	// Timeout bounds one request, and how long a write waits for its turn; default
	// 25 s, below what clients give a call.
	Timeout time.Duration `help:"longest time of one request to the platform, and of a write's wait for its turn; 0: 25s"`
	// IdempotencyHeader carries a write's key to platforms that honour one; "" sends none.
	IdempotencyHeader string `help:"header that carries a write's key to a platform that honours one; empty: none"`
	UserAgent         string `help:"how Comporta names itself to the platform; empty: comporta"`
}

// Validate lists every fault of the configuration.
func (c Config) Validate() error {
	var faults []error
	if _, err := parseBase(c.URL); err != nil {
		faults = append(faults, err)
	}
	if c.Timeout < 0 {
		faults = append(faults, fmt.Errorf("platform timeout %s is negative", c.Timeout))
	}
	if c.IdempotencyHeader != "" && !validHeaderName(c.IdempotencyHeader) {
		faults = append(faults, fmt.Errorf("%q is no header name", c.IdempotencyHeader))
	}
	return errors.Join(faults...)
}

func parseBase(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("platform URL: %w", err)
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, fmt.Errorf("platform URL %q needs http or https and a host", text)
	case base.User != nil, base.RawQuery != "", base.Fragment != "":
		return nil, fmt.Errorf("platform URL %q may hold no user, query or fragment", text)
	}
	return base, nil
}

// Request is one tool call for the platform.
type Request struct {
	Tool          *catalog.Tool
	Args          map[string]any // checked; numbers are json.Number
	Authorization identity.Secret
	CompanyID     int64  // whose turn it takes when it writes
	Key           string // for IdempotencyHeader; "" sends none
	// Timeout bounds one send of a write; 0: the client's own.
	Timeout time.Duration
	Holder  Holder
	// Leaving, if set, is asked right before each send of a write, when it has its
	// turn. Its error stops the write before anything (more) is sent. Package once
	// records there that the write is under way: not earlier, since what only
	// waits for its turn has certainly had no effect.
	Leaving func(ctx context.Context) error
}

// Holder is whose request it is, for what its answer shows to them alone.
type Holder struct {
	PersonID int64
	LinkID   string
	CallID   string // the call's id in the audit
	// ID is the call's or operation's own: a ULID that stays the same when it is
	// taken up again after a crash.
	ID string
}

// Preview is a request as it would be sent (dry_run).
type Preview struct {
	Method  string
	URL     string
	Headers map[string]string // Authorization holds the real value
	Body    any               // nil where there is none
}

// Answer is the platform's good answer.
type Answer struct {
	Status int
	// Value is the decoded JSON object; numbers are json.Number. An answer that is
	// not an object stands under "data"; an empty one is an empty map.
	//
	// A content of bytes is {data, codificacion, media_type, tamano, rango,
	// rango_siguiente}: text, or base64; its size in bytes; which of them data is;
	// and the range that follows, where more does.
	Value map[string]any
	// Pending: accepted, still being worked on (202, or state "pending").
	Pending bool
}
