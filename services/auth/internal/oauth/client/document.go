package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/comporta-mcp/comporta/services/auth/internal/lru"
)

const (
	maxDocument   = 5 << 10 // bytes: the draft's recommendation
	fetchTime     = 5 * time.Second
	keepUnsaid    = time.Hour // where the document's headers do not say
	keepAtLeast   = time.Minute
	keepAtMost    = 24 * time.Hour
	keepFailure   = 10 * time.Second
	keptDocuments = 2000
)

// Documents fetches clients whose id is the URL of their metadata document. It
// reaches public addresses only, whatever a name resolves to.
type Documents struct {
	http    *http.Client
	rules   Rules
	now     func() time.Time
	flights singleflight.Group

	mu   sync.Mutex
	kept *lru.Map[string, document]
}

// document is what the last fetch brought.
type document struct {
	client *Client
	err    error
	until  time.Time
}

// NewDocuments makes Documents. transport carries the requests; Public is the one
// to use outside of tests.
func NewDocuments(transport http.RoundTripper, rules Rules, now func() time.Time) *Documents {
	return &Documents{
		http: &http.Client{
			Transport:     transport,
			Timeout:       fetchTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		rules: rules, now: now, kept: lru.New[string, document](keptDocuments),
	}
}

// IsDocument reports whether a client id is the URL of a document: https with a
// path, and nothing in it that could be read in two ways.
func IsDocument(id string) bool {
	u, err := url.Parse(id)
	return err == nil && u.Scheme == "https" && u.Hostname() != "" && len(id) <= maxURI &&
		u.User == nil && !strings.Contains(id, "#") && !strings.ContainsFunc(id, strange) &&
		len(u.Path) > 1 && path.Clean(u.Path) == strings.TrimSuffix(u.Path, "/")
}

// BadDocument is a document that makes no client. Its text is for the person
// and the client's maker.
type BadDocument struct{ Why string }

// Error says why.
func (b *BadDocument) Error() string { return "the client's metadata document: " + b.Why }

// Get gives the client of a document's URL. The error is a *BadDocument.
func (d *Documents) Get(ctx context.Context, id string) (*Client, error) {
	d.mu.Lock()
	known, found := d.kept.Get(id)
	d.mu.Unlock()
	if found && d.now().Before(known.until) {
		return known.client, known.err
	}
	flight := d.flights.DoChan(id, func() (any, error) { // goes on when this caller leaves, for the others
		return d.fetch(context.WithoutCancel(ctx), id), nil
	})
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case result := <-flight:
		got := result.Val.(document)
		return got.client, got.err
	}
}

func (d *Documents) fetch(ctx context.Context, id string) document {
	c, keep, err := d.ask(ctx, id)
	got := document{client: c, err: err, until: d.now().Add(keep)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept.Put(id, got)
	return got
}

func (d *Documents) ask(ctx context.Context, id string) (*Client, time.Duration, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return nil, keepFailure, &BadDocument{"its URL cannot be asked"}
	}
	request.Header.Set("Accept", "application/json")
	response, err := d.http.Do(request)
	if err != nil { // its text may tell of inner addresses
		why := "it could not be fetched"
		if errors.Is(err, errInner) {
			why = "its host is no public address"
		}
		return nil, keepFailure, &BadDocument{why}
	}
	defer response.Body.Close()
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode != http.StatusOK {
		return nil, keepFailure, &BadDocument{fmt.Sprintf("its server answered %d", response.StatusCode)}
	}
	if kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, keepFailure, &BadDocument{"it is not served as JSON"}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	if err != nil || len(body) > maxDocument {
		return nil, keepFailure, &BadDocument{fmt.Sprintf("it is longer than %d bytes, or was cut off", maxDocument)}
	}
	c, err := d.read(id, body)
	if err != nil {
		return nil, keepFailure, err
	}
	return c, freshness(response.Header), nil
}

// read makes the client of a document.
func (d *Documents) read(id string, body []byte) (*Client, error) {
	var m struct {
		Metadata
		ClientID string          `json:"client_id"`
		Secret   json.RawMessage `json:"client_secret"`
	}
	if json.Unmarshal(body, &m) != nil {
		return nil, &BadDocument{"it is no JSON object of client metadata"}
	}
	secret := []string{"client_secret_basic", "client_secret_post", "client_secret_jwt"}
	switch {
	case m.ClientID != id:
		return nil, &BadDocument{"its client_id is not its own URL"}
	case m.ClientName == "":
		return nil, &BadDocument{"it has no client_name"}
	case m.Secret != nil || slices.Contains(secret, m.AuthMethod):
		return nil, &BadDocument{"it uses a shared secret, which a public document cannot have"}
	}
	if err := m.Judge(d.rules); err != nil {
		return nil, &BadDocument{err.Error()}
	}
	u, err := url.Parse(id)
	if err != nil {
		return nil, &BadDocument{"its URL cannot be read"}
	}
	c := m.Client()
	c.ID, c.Domain = id, u.Hostname()
	return &c, nil
}

// freshness is how long the answer's headers let us keep it, within bounds.
func freshness(h http.Header) time.Duration {
	for part := range strings.SplitSeq(h.Get("Cache-Control"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(strings.ToLower(part)), "=")
		switch name {
		case "no-store", "no-cache":
			return keepAtLeast
		case "max-age":
			if seconds, err := strconv.Atoi(value); err == nil {
				return min(max(time.Duration(min(seconds, 1<<30))*time.Second, keepAtLeast), keepAtMost)
			}
		}
	}
	return keepUnsaid
}
