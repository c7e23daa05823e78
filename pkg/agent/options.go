package agent

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options are a [Manager]'s. The zero value is useful.
type Options struct {
	// Name and Version introduce the agent to servers. Default "comporta-agent".
	Name, Version string

	// ConnectTimeout bounds one try to connect, the listing of tools included.
	// Default 30 s; with SignIn 5 min, since a person may have to read a page.
	ConnectTimeout time.Duration

	// CallTimeout bounds a call whose context has no nearer deadline. Default
	// 10 min: longer than the longest wait of a Comporta tool (300 s). Negative: none.
	CallTimeout time.Duration

	// Reconnect says how often a connection is tried again by itself.
	Reconnect Reconnect

	// Retry, when set, repeats calls that a Comporta server refused with an error
	// that allows it. Nil: the caller sees every refusal.
	Retry *Retry

	// HTTPClient is used for remote servers without one of their own. Its
	// Transport is the place for proxies, certificates and tracing.
	HTTPClient *http.Client

	// SignIn, when set, wraps the round tripper of each remote server that has no
	// Authorization header of its own. See package oauth.
	SignIn func(serverURL string, base http.RoundTripper) (http.RoundTripper, error)

	// Elicit answers a server's question to the person: a form, or a page to open
	// (Mode "url"), such as Comporta's approval of a call. Nil: the agent declares
	// that it cannot be asked.
	Elicit func(ctx context.Context, server string, question *mcp.ElicitParams) (*mcp.ElicitResult, error)

	// Changed is told when a server's state or tools changed. It may call the
	// Manager, except Close, which waits for it.
	Changed func(server string)

	// Logger gets what is of interest to the agent's builder. Default: nothing is logged.
	Logger *slog.Logger
}

// Reconnect is the policy of contract §12: after a connection failed or was lost
// it is tried Tries more times, First after the failure, then twice as long each
// time, at most Max. After that a call starts a new round at the earliest Max
// after the last try.
type Reconnect struct {
	Tries int           // default 2; negative: none
	First time.Duration // default 1 s
	Max   time.Duration // default 10 s
}

func (o Options) withDefaults() *Options {
	o.Name, o.Version = cmp.Or(o.Name, "comporta-agent"), cmp.Or(o.Version, "dev")
	if o.SignIn != nil {
		o.ConnectTimeout = cmp.Or(o.ConnectTimeout, 5*time.Minute)
	}
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, 30*time.Second)
	o.CallTimeout = cmp.Or(o.CallTimeout, 10*time.Minute)
	o.Reconnect.Tries = max(0, cmp.Or(o.Reconnect.Tries, 2))
	o.Reconnect.First = cmp.Or(o.Reconnect.First, time.Second)
	o.Reconnect.Max = cmp.Or(o.Reconnect.Max, 10*time.Second)
	if o.HTTPClient == nil {
		o.HTTPClient = http.DefaultClient
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &o
}

// delay is how long to wait before the nth repeat (from 0).
func (r Reconnect) delay(n int) time.Duration {
	d := r.First
	for ; n > 0 && d < r.Max; n-- {
		d *= 2
	}
	return min(d, r.Max)
}
