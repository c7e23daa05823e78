package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

const (
	// unusedFor is how long a client is kept that nobody ever approved.
	unusedFor = 24 * time.Hour
	// usedFor is how long it is kept after the last approval: longer than a session
	// (180 d), so that no client with a living refresh token is forgotten.
	usedFor = 210 * 24 * time.Hour
)

// ErrNone: there is no such client.
var ErrNone = errors.New("no such client")

// Registry keeps the clients that registered, in the bucket "clients".
type Registry struct {
	records bus.Records
	now     func() time.Time
}

// NewRegistry makes a Registry.
func NewRegistry(records bus.Records, now func() time.Time) *Registry {
	return &Registry{records: records, now: now}
}

// registeredID is the form of the ids that Add gives.
var registeredID = regexp.MustCompile(`^dc_[0-9a-f]{32}$`)

// Add keeps a new client under an id of its own.
func (r *Registry) Add(ctx context.Context, c Client) (*Client, error) {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails: crypto/rand
	c.ID, c.CreatedAt = "dc_"+hex.EncodeToString(random), r.now().UTC().Truncate(time.Second)
	return &c, r.write(ctx, &c, 0, unusedFor)
}

// Get gives a registered client.
func (r *Registry) Get(ctx context.Context, id string) (*Client, error) {
	c, _, err := r.read(ctx, id)
	return c, err
}

func (r *Registry) read(ctx context.Context, id string) (*Client, uint64, error) {
	if !registeredID.MatchString(id) {
		return nil, 0, ErrNone
	}
	found, err := r.records.Read(ctx, id)
	if err != nil {
		return nil, 0, fmt.Errorf("read client %s: %w", id, err)
	}
	if found.Value == nil {
		return nil, 0, ErrNone
	}
	c, err := decode(id, found.Value)
	return c, found.Revision, err
}

// Approved keeps a client from now on for as long as its sessions may last.
// Other ids than registered ones need no keeping.
func (r *Registry) Approved(ctx context.Context, id string) error {
	c, revision, err := r.read(ctx, id)
	if errors.Is(err, ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	c.Used = true
	err = r.write(ctx, c, revision, usedFor)
	if bus.IsConflict(err) {
		return nil // another approval at the same moment
	}
	return err
}

func (r *Registry) write(ctx context.Context, c *Client, revision uint64, ttl time.Duration) error {
	c.Form = form
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode client %s: %w", c.ID, err)
	}
	if _, err := r.records.Write(ctx, c.ID, data, revision, ttl); err != nil {
		return fmt.Errorf("write client %s: %w", c.ID, err)
	}
	return nil
}
