package seal

import (
	"context"
	"fmt"
	"time"

	"github.com/tink-crypto/tink-go/v2/keyset"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// Rotate makes new primary keys. The old keys stay: what they encrypted opens
// for ever, since nobody can know when the last of it is gone.
func (o *Opener) Rotate(ctx context.Context) error { return o.Maintain(ctx, 0) }

// Maintain reads the keysets again, makes a new primary key where the present
// one is older than maxAge, and encrypts anew what stands under an old master
// key. Of several replicas at once, one does it and the others use the outcome.
func (o *Opener) Maintain(ctx context.Context, maxAge time.Duration) error {
	if err := o.Reload(ctx); err != nil {
		return err
	}
	held := o.held.Load()
	for n, s := range map[name]*stored{sealing: held.sealing, vault: held.vault, signing: held.signing} {
		if err := o.maintain(ctx, n, s, maxAge); err != nil {
			return err
		}
	}
	return o.Reload(ctx)
}

func (o *Opener) maintain(ctx context.Context, n name, s *stored, maxAge time.Duration) error {
	handle, rotated := s.handle, s.rotated
	if o.now().Sub(rotated) >= maxAge {
		var err error
		if handle, err = withNewPrimary(n, handle); err != nil {
			return err
		}
		rotated = o.now()
	} else if !s.oldMaster {
		return nil
	}
	value, err := encode(n, handle, rotated, o.master)
	if err != nil {
		return err
	}
	_, err = o.kv.Update(ctx, string(n), value, s.revision)
	if err != nil && !bus.IsConflict(err) {
		return fmt.Errorf("store keyset %s: %w", n, err)
	}
	return nil
}

func withNewPrimary(n name, old *keyset.Handle) (*keyset.Handle, error) {
	manager := keyset.NewManagerFromHandle(old)
	id, err := manager.Add(n.template())
	if err == nil {
		err = manager.SetPrimary(id)
	}
	if err != nil {
		return nil, fmt.Errorf("new key for keyset %s: %w", n, err)
	}
	return manager.Handle()
}
