package host

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// relay passes on the authorization server's own metadata, for clients of the
// 2025-03-26 rules, which look for it at the MCP host.
type relay struct {
	source string
	http   *http.Client
	now    func() time.Time

	mu     sync.Mutex
	kept   *document
	asking bool // somebody is fetching a fresh one
}

// document is the server's answer as it came.
type document struct {
	status  int
	body    []byte
	fetched time.Time
}

const (
	relayFresh = time.Minute // how long a document is passed on without asking again
	relayMax   = 64 << 10    // bytes
)

func newRelay(cfg Config, client *http.Client, now func() time.Time) *relay {
	return &relay{source: metadataURL(cmp.Or(cfg.AuthHTTP, cfg.AuthURL), cfg.AuthURL), http: client, now: now}
}

// metadataURL is where RFC 8414 puts the document: the issuer's path goes behind
// the well-known part.
func metadataURL(base, issuer string) string {
	path := ""
	if u, err := url.Parse(issuer); err == nil {
		path = strings.TrimSuffix(u.Path, "/")
	}
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	u.Path, u.RawPath = serverMeta+path, ""
	return u.String()
}

func (r *relay) serve(w http.ResponseWriter, req *http.Request) {
	doc, err := r.document(req.Context())
	if err != nil {
		retryAfter(w.Header(), authPause)
		writeJSON(w, http.StatusServiceUnavailable, map[string]any{
			"error": "temporarily_unavailable", "error_description": "The authorization server cannot be asked.",
		})
		return
	}
	if doc.status == http.StatusNotFound {
		notFound(w, "The authorization server has no such document.")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=60")
	w.WriteHeader(doc.status)
	_, _ = w.Write(doc.body) // the client going away is no fault of ours
}

// document is fresh where possible. While the server cannot be asked, or another
// request is asking, the last good one is better than none.
func (r *relay) document(ctx context.Context) (*document, error) {
	r.mu.Lock()
	kept := r.kept
	if kept != nil && (r.asking || r.now().Sub(kept.fetched) < relayFresh) {
		r.mu.Unlock()
		return kept, nil
	}
	r.asking = true
	r.mu.Unlock()

	got, err := r.fetch(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asking = false
	if err != nil {
		if kept != nil {
			return kept, nil
		}
		return nil, err
	}
	r.kept = got
	return got, nil
}

func (r *relay) fetch(ctx context.Context) (*document, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.source, nil)
	if err != nil {
		return nil, fmt.Errorf("ask for the authorization server's metadata: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	answer, err := r.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask for the authorization server's metadata: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusNotFound {
		return nil, fmt.Errorf("the authorization server answered %d for its metadata", answer.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, relayMax))
	if err != nil {
		return nil, fmt.Errorf("read the authorization server's metadata: %w", err)
	}
	return &document{answer.StatusCode, body, r.now()}, nil
}
