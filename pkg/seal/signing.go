package seal

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/mac"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// TagSize is the length of a tag, in bytes: Tink's prefix with the key's id (5)
// and HMAC-SHA256 cut to 128 bits.
const TagSize = 5 + 16

// ErrForged is a tag that none of our keys made for this data.
var ErrForged = errors.New("the tag does not fit")

// unknownEvery bounds how often an unknown key id makes us read the keysets: it
// may be another replica's new key, and it may be a flood of invented tags.
const unknownEvery = time.Second

// signers are the keys of the set that makes tags.
type signers struct {
	primary uint32
	byID    map[uint32]tink.MAC
}

// newSigners makes one MAC per key, so that an older key can be asked for by its id.
func newSigners(handle *keyset.Handle) (*signers, error) {
	s := &signers{byID: map[uint32]tink.MAC{}}
	for i := range handle.Len() {
		entry, err := handle.Entry(i)
		if err != nil {
			return nil, fmt.Errorf("use keyset %s: %w", signing, err)
		}
		manager := keyset.NewManagerFromHandle(handle)
		if err := manager.SetPrimary(entry.KeyID()); err != nil {
			return nil, fmt.Errorf("use keyset %s: %w", signing, err)
		}
		single, err := manager.Handle()
		if err != nil {
			return nil, fmt.Errorf("use keyset %s: %w", signing, err)
		}
		if s.byID[entry.KeyID()], err = mac.New(single); err != nil {
			return nil, fmt.Errorf("use keyset %s: %w", signing, err)
		}
		if entry.IsPrimary() {
			s.primary = entry.KeyID()
		}
	}
	return s, nil
}

// SigningKey is the id of the key that Tag uses now.
func (o *Opener) SigningKey() uint32 { return o.held.Load().signers.primary }

// Tag authenticates data with the key of this id. The same data and key give the
// same tag, after rotations too.
func (o *Opener) Tag(ctx context.Context, data []byte, key uint32) ([]byte, error) {
	signer := o.signer(ctx, key)
	if signer == nil {
		return nil, fmt.Errorf("there is no signing key %d", key)
	}
	return signer.ComputeMAC(data)
}

// Check says whether one of our keys made the tag for this data; otherwise
// ErrForged. Old keys go on being good: what they signed ends by its own date.
func (o *Opener) Check(ctx context.Context, tag, data []byte) error {
	if len(tag) != TagSize {
		return ErrForged
	}
	signer := o.signer(ctx, binary.BigEndian.Uint32(tag[1:5]))
	if signer == nil || signer.VerifyMAC(tag, data) != nil {
		return ErrForged
	}
	return nil
}

// signer gives the key with this id, looking once for keys that another replica
// made since; nil where there is none.
func (o *Opener) signer(ctx context.Context, key uint32) tink.MAC {
	if signer := o.held.Load().signers.byID[key]; signer != nil {
		return signer
	}
	now := o.now().UnixNano()
	last := o.lookedFor.Load()
	if now-last < int64(unknownEvery) || !o.lookedFor.CompareAndSwap(last, now) {
		return nil
	}
	if o.Reload(ctx) != nil {
		return nil
	}
	return o.held.Load().signers.byID[key]
}
