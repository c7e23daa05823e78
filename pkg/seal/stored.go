package seal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/tink-crypto/tink-go/v2/keyset"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// Bucket is where keysets are kept: the bucket "keys".
type Bucket interface {
	Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error)
	Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error)
	Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)
}

// record is a keyset as it is stored.
type record struct {
	Version int       `json:"version"` // of this form: 1
	Rotated time.Time `json:"rotated"` // when the primary key was made
	Keyset  []byte    `json:"keyset"`  // Tink's binary form, encrypted under the master key
}

const recordVersion = 1

// stored is a keyset that was read.
type stored struct {
	handle   *keyset.Handle
	rotated  time.Time
	revision uint64
	// oldMaster: encrypted under a master key that is not the present one.
	oldMaster bool
}

// binding ties a stored keyset to its name, so that records cannot be swapped.
func (n name) binding() []byte { return []byte("comporta keyset " + string(n)) }

func encode(n name, handle *keyset.Handle, rotated time.Time, master *Master) ([]byte, error) {
	var out bytes.Buffer
	if err := handle.WriteWithAssociatedData(keyset.NewBinaryWriter(&out), master, n.binding()); err != nil {
		return nil, fmt.Errorf("encrypt keyset %s: %w", n, err)
	}
	return json.Marshal(record{Version: recordVersion, Rotated: rotated.UTC(), Keyset: out.Bytes()})
}

func decode(n name, entry jetstream.KeyValueEntry, master *Master) (*stored, error) {
	var r record
	if err := json.Unmarshal(entry.Value(), &r); err != nil {
		return nil, fmt.Errorf("stored keyset %s: %w", n, err)
	}
	if r.Version != recordVersion {
		return nil, fmt.Errorf("stored keyset %s has the form %d; this program knows %d", n, r.Version, recordVersion)
	}
	watched := &usage{Master: master}
	handle, err := keyset.ReadWithAssociatedData(keyset.NewBinaryReader(bytes.NewReader(r.Keyset)), watched, n.binding())
	if watched.failed { // Tink's own error does not wrap ours
		err = ErrMaster
	}
	if err != nil {
		return nil, fmt.Errorf("stored keyset %s: %w", n, err)
	}
	return &stored{handle: handle, rotated: r.Rotated, revision: entry.Revision(), oldMaster: watched.old}, nil
}

// usage remembers whether and which master key opened a keyset.
type usage struct {
	*Master
	old, failed bool
}

// Decrypt is Master.Decrypt with a memory.
func (u *usage) Decrypt(sealed, binding []byte) ([]byte, error) {
	plain, first, err := u.decrypt(sealed, binding)
	u.old, u.failed = err == nil && !first, err != nil
	return plain, err
}

// load reads a keyset, or makes the first one. Of several replicas that make
// it at the same moment one wins, and all use the winner's.
func load(ctx context.Context, kv Bucket, n name, master *Master, now time.Time) (*stored, error) {
	entry, err := kv.Get(ctx, string(n))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		if err := create(ctx, kv, n, master, now); err != nil {
			return nil, err
		}
		entry, err = kv.Get(ctx, string(n))
	}
	if err != nil {
		return nil, fmt.Errorf("read keyset %s: %w", n, err)
	}
	return decode(n, entry, master)
}

func create(ctx context.Context, kv Bucket, n name, master *Master, now time.Time) error {
	handle, err := keyset.NewHandle(n.template())
	if err != nil {
		return fmt.Errorf("make keyset %s: %w", n, err)
	}
	value, err := encode(n, handle, now, master)
	if err != nil {
		return err
	}
	if _, err = kv.Create(ctx, string(n), value); err != nil && !bus.IsConflict(err) {
		return fmt.Errorf("store keyset %s: %w", n, err)
	}
	return nil
}
