// Package store keeps the finished pages of all sources as one blob, so that a
// start needs no source, and replicas share one reading of them: in a folder or
// in an object store. What the blob holds is library's business.
package store

import (
	"context"
	"errors"
)

// ErrNone says that nothing was stored yet.
var ErrNone = errors.New("nothing is stored")

// Store keeps one blob.
type Store interface {
	// Load gives the blob and its revision, or ErrNone.
	Load(ctx context.Context) (data []byte, revision string, err error)
	// Revision is that of the blob that Load would give, or ErrNone.
	Revision(ctx context.Context) (string, error)
	// Save replaces the blob: who loads meanwhile gets the old or the new one whole.
	Save(ctx context.Context, data []byte) (revision string, err error)
}
