// Package register answers dynamic client registration (RFC 7591). It gives an
// id and nothing else: no secret, no access. Whoever may reach it may use it, so
// it is bounded per address and in all, and what nobody approves goes by itself.
package register

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/quota"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/audience"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/client"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
)

// Registry keeps clients.
type Registry interface {
	Add(ctx context.Context, c client.Client) (*client.Client, error)
}

// Limiter counts over all replicas; *quota.Limiter does.
type Limiter interface {
	Take(ctx context.Context, subject string, lim quota.Limit) (wait time.Duration, err error)
}

// Handler answers registrations.
type Handler struct {
	Registry Registry
	Rules    client.Rules
	Areas    *audience.Areas
	Limiter  Limiter
	PerAddr  quota.Limit // per network address
	InAll    quota.Limit // of all addresses together
	Address  func(*http.Request) string
	Log      *slog.Logger
}

// maxBody bounds a registration, in bytes.
const maxBody = 16 << 10

// answer is RFC 7591 §3.2.1's: everything that was registered.
type answer struct {
	ClientID string `json:"client_id"`
	IssuedAt int64  `json:"client_id_issued_at"`
	client.Metadata
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m, err := read(w, r)
	if err == nil {
		err = m.Judge(h.Rules)
	}
	if err == nil {
		err = h.admit(r)
	}
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	c, err := h.Registry.Add(r.Context(), m.Client())
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	m.Scope = h.scope(m.Scope)
	fault.WriteJSON(w, http.StatusCreated, answer{ClientID: c.ID, IssuedAt: c.CreatedAt.Unix(), Metadata: *m})
}

func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if _, told := errors.AsType[*fault.Fault](err); !told {
		h.Log.WarnContext(r.Context(), "a client could not be registered", "error", err)
	}
	fault.Write(w, err)
}

func read(w http.ResponseWriter, r *http.Request) (*client.Metadata, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, fault.New(fault.InvalidClientMetadata, "Send the client's metadata as application/json.")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, fault.New(fault.InvalidClientMetadata, "The metadata is longer than 16 KiB, or was cut off.")
	}
	var m client.Metadata
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fault.New(fault.InvalidClientMetadata, "The body is no JSON object of client metadata.")
	}
	return &m, nil
}

// admit bounds what is written. A good request only is counted, so that the
// limit is one of records.
func (h *Handler) admit(r *http.Request) error {
	for subject, limit := range map[string]quota.Limit{h.Address(r): h.PerAddr, "all": h.InAll} {
		wait, err := h.Limiter.Take(r.Context(), subject, limit)
		if err != nil {
			return err
		}
		if wait > 0 {
			return &fault.Fault{Code: fault.SlowDown, Description: "Too many clients were registered. Wait, or use the client id that you have.", RetryAfter: wait}
		}
	}
	return nil
}

// scope is what a client may ask for: whatever it says, a person decides.
func (h *Handler) scope(asked string) string {
	if known := h.Areas.Asked(asked); len(known.Areas) > 0 {
		var words []string
		for word := range strings.FieldsSeq(asked) {
			if len(h.Areas.Asked(word).Areas) > 0 {
				words = append(words, word)
			}
		}
		return strings.Join(words, " ")
	}
	return strings.Join(h.Areas.Supported(), " ")
}
