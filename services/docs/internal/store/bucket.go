package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nats-io/nats.go/jetstream"
)

// Bucket keeps the blob as an object of NATS.
type Bucket struct {
	// Open gives the object store. It is asked each time, since NATS may come up
	// after this process.
	Open func(context.Context) (jetstream.ObjectStore, error)
}

var _ Store = Bucket{}

const objectName = "pages"

// Load reads the object.
func (b Bucket) Load(ctx context.Context) ([]byte, string, error) {
	objects, err := b.Open(ctx)
	if err != nil {
		return nil, "", err
	}
	object, err := objects.Get(ctx, objectName)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, "", ErrNone
	}
	if err != nil {
		return nil, "", err
	}
	defer object.Close()
	data, err := io.ReadAll(object) // it checks the digest
	if err != nil {
		return nil, "", fmt.Errorf("read the object %s: %w", objectName, err)
	}
	info, err := object.Info()
	if err != nil {
		return nil, "", err
	}
	return data, info.Digest, nil
}

// Revision is the object's digest.
func (b Bucket) Revision(ctx context.Context) (string, error) {
	objects, err := b.Open(ctx)
	if err != nil {
		return "", err
	}
	info, err := objects.GetInfo(ctx, objectName)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return "", ErrNone
	}
	if err != nil {
		return "", err
	}
	return info.Digest, nil
}

// Save writes the object; NATS drops the old one's chunks after that.
func (b Bucket) Save(ctx context.Context, data []byte) (string, error) {
	objects, err := b.Open(ctx)
	if err != nil {
		return "", err
	}
	info, err := objects.Put(ctx, jetstream.ObjectMeta{Name: objectName}, bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("write the object %s: %w", objectName, err)
	}
	return info.Digest, nil
}
