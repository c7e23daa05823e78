package platform

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

const defaultTimeout = 25 * time.Second

// Turns lets the writes of one company happen one after the other, over all
// replicas: the platform refuses parallel ones.
type Turns interface {
	// Take waits for the company's turn. Its error is ctx's: nobody is turned
	// away for any other reason. The caller calls release once.
	Take(ctx context.Context, companyID int64) (release func(), err error)
}

// Options are the parts a Client works with; the zero value of each is usable.
type Options struct {
	HTTP  *http.Client // its Transport is used; redirects are never followed
	Turns Turns        // nil: writes take no turns
	// Credentials are the deployment's own for foreign APIs, by the names that
	// bindings give; each is the whole value of its header or query parameter.
	Credentials map[string]identity.Secret
	Metrics     prometheus.Registerer
	Log         *slog.Logger
	Now         func() time.Time
	Sleep       func(ctx context.Context, d time.Duration) error
}

// Client sends requests to one platform. It is safe for concurrent use.
type Client struct {
	cfg     Config
	http    *http.Client
	turns   Turns
	metrics *metrics
	log     *slog.Logger
	now     func() time.Time
	sleep   func(ctx context.Context, d time.Duration) error

	credentials map[string]identity.Secret
}

// New makes a client. A wrong cfg shows at each request; Validate tells it earlier.
func New(cfg Config, o Options) *Client {
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = "comporta"
	}
	c := &Client{
		cfg:     cfg,
		http:    &http.Client{Transport: transport(o.HTTP), CheckRedirect: keepRedirect},
		turns:   o.Turns,
		metrics: newMetrics(o.Metrics),
		log:     o.Log,
		now:     o.Now,
		sleep:   o.Sleep,

		credentials: o.Credentials,
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.sleep == nil {
		c.sleep = sleep
	}
	return c
}

// Preview shows the request that Do would send.
//
// The deployment's credential for a foreign API is nobody's to see.
func (c *Client) Preview(r Request) (*Preview, error) {
	if binding := r.Tool.Binding; binding != nil && binding.Foreign {
		if r.Authorization = ""; binding.Credential != "" {
			r.Authorization = "[redacted]"
		}
	}
	out, err := c.build(r, nil)
	if err != nil {
		return nil, err
	}
	headers := make(map[string]string, len(out.header))
	for name, values := range out.header {
		headers[http.CanonicalHeaderKey(name)] = values[0]
	}
	return &Preview{Method: out.method, URL: out.url.String(), Headers: headers, Body: out.shown}, nil
}

// Do sends the request and answers, or says why not with a *problem.Problem.
// Reads are repeated within bounds; a write is sent once, unless nothing of it
// left or the platform refused it for overlapping another write.
func (c *Client) Do(ctx context.Context, r Request) (*Answer, error) {
	r, err := c.signed(r)
	if err != nil {
		return nil, err
	}
	out, err := c.build(r, nil)
	if err != nil {
		return nil, err
	}
	var answer *Answer
	var refused *problem.Problem
	if r.Tool.Writes() {
		answer, refused = c.write(ctx, r, out)
	} else {
		answer, refused = c.read(ctx, r, out)
	}
	if refused != nil {
		return nil, refused
	}
	return answer, nil
}

// transport sends the traceparent of the call along.
func transport(client *http.Client) http.RoundTripper {
	var base http.RoundTripper
	if client != nil {
		base = client.Transport
	}
	if base == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.MaxIdleConnsPerHost = 64 // one host gets all our requests; the default is 2
		base = own
	}
	return otelhttp.NewTransport(base, otelhttp.WithPropagators(propagation.TraceContext{}))
}

// keepRedirect hands a redirect back as it is: followed, it could carry the
// credential to another place, or a write to it twice.
func keepRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
