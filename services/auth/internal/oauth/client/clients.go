package client

import (
	"context"
	"errors"
)

// Clients finds a client by its id, whichever kind it is of.
type Clients struct {
	Registry  *Registry
	Documents *Documents
}

// Get gives the client. The error is ErrNone, a *BadDocument, or another one when
// the bucket cannot be asked.
func (c *Clients) Get(ctx context.Context, id string) (*Client, error) {
	if IsDocument(id) {
		return c.Documents.Get(ctx, id)
	}
	return c.Registry.Get(ctx, id)
}

// Known reports whether a client id means anything here. For a document's URL
// that takes no fetch: what a grant is bound to is the URL itself.
func (c *Clients) Known(ctx context.Context, id string) (bool, error) {
	if IsDocument(id) {
		return true, nil
	}
	_, err := c.Registry.Get(ctx, id)
	if errors.Is(err, ErrNone) {
		return false, nil
	}
	return err == nil, err
}
