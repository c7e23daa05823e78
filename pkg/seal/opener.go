package seal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/hybrid"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/mac"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// name is a keyset's key in the bucket.
type name string

const (
	sealing name = "sealing" // hybrid: hosts seal, auth opens
	vault   name = "vault"   // AEAD: what auth stores for itself
	signing name = "signing" // MAC: what auth gives away and must know again
)

// template is how a new key of the set is made.
func (n name) template() *tinkpb.KeyTemplate {
	switch n {
	case sealing:
		return hybrid.DHKEM_X25519_HKDF_SHA256_HKDF_SHA256_CHACHA20_POLY1305_Key_Template()
	case signing:
		return mac.HMACSHA256Tag128KeyTemplate()
	default:
		return aead.XChaCha20Poly1305KeyTemplate()
	}
}

// ErrCannotOpen is sealed data that no key of ours opens, or that was sealed
// for another binding. Trying again does not help.
var ErrCannotOpen = errors.New("sealed data cannot be opened")

// Opener is auth's side: it opens what was sealed for it, and encrypts what it
// stores for itself. It is safe for use by several goroutines.
type Opener struct {
	kv     Bucket
	master *Master
	now    func() time.Time
	held   atomic.Pointer[keys]
	// lookedFor is when an unknown signing key was last looked for.
	lookedFor atomic.Int64
}

// keys is one state of the keysets, ready for use.
type keys struct {
	public         []byte
	decrypter      tink.HybridDecrypt
	aead           tink.AEAD
	signers        *signers
	sealing, vault *stored
	signing        *stored
}

// NewOpener reads the keysets from the bucket, making them where they are
// missing. A master key that does not open them is an error.
func NewOpener(ctx context.Context, kv Bucket, master *Master, now func() time.Time) (*Opener, error) {
	o := &Opener{kv: kv, master: master, now: now}
	if err := o.Reload(ctx); err != nil {
		return nil, err
	}
	return o, nil
}

// Reload reads the keysets again. On an error the ones in memory stay.
func (o *Opener) Reload(ctx context.Context) error {
	s, err := load(ctx, o.kv, sealing, o.master, o.now())
	if err != nil {
		return err
	}
	v, err := load(ctx, o.kv, vault, o.master, o.now())
	if err != nil {
		return err
	}
	m, err := load(ctx, o.kv, signing, o.master, o.now())
	if err != nil {
		return err
	}
	fresh, err := prepare(s, v, m)
	if err != nil {
		return err
	}
	o.held.Store(fresh)
	return nil
}

func prepare(s, v, m *stored) (*keys, error) {
	decrypter, err := hybrid.NewHybridDecrypt(s.handle)
	if err != nil {
		return nil, fmt.Errorf("use keyset %s: %w", sealing, err)
	}
	cipher, err := aead.New(v.handle)
	if err != nil {
		return nil, fmt.Errorf("use keyset %s: %w", vault, err)
	}
	publicHandle, err := s.handle.Public()
	if err != nil {
		return nil, fmt.Errorf("public half of keyset %s: %w", sealing, err)
	}
	var public bytes.Buffer
	if err := publicHandle.WriteWithNoSecrets(keyset.NewBinaryWriter(&public)); err != nil {
		return nil, fmt.Errorf("public half of keyset %s: %w", sealing, err)
	}
	made, err := newSigners(m.handle)
	if err != nil {
		return nil, err
	}
	return &keys{public: public.Bytes(), decrypter: decrypter, aead: cipher, signers: made, sealing: s, vault: v, signing: m}, nil
}

// Public is the keyset that NewSealer reads. The caller does not change it.
func (o *Opener) Public() []byte { return o.held.Load().public }

// Open opens what a Sealer sealed for this binding, with any key there ever
// was. Where none fits it looks once for keys that another replica made since.
// The error is ErrCannotOpen, or another one when the bucket cannot be read.
func (o *Opener) Open(ctx context.Context, sealed, binding []byte) ([]byte, error) {
	return o.try(ctx, func(k *keys) ([]byte, error) { return k.decrypter.Decrypt(sealed, binding) })
}

// Encrypt encrypts for storage by auth itself.
func (o *Opener) Encrypt(plain, binding []byte) ([]byte, error) {
	return o.held.Load().aead.Encrypt(plain, binding)
}

// Decrypt is the opposite of Encrypt; errors as of Open.
func (o *Opener) Decrypt(ctx context.Context, sealed, binding []byte) ([]byte, error) {
	return o.try(ctx, func(k *keys) ([]byte, error) { return k.aead.Decrypt(sealed, binding) })
}

func (o *Opener) try(ctx context.Context, open func(*keys) ([]byte, error)) ([]byte, error) {
	before := o.held.Load()
	if plain, err := open(before); err == nil {
		return plain, nil
	}
	if err := o.Reload(ctx); err != nil {
		return nil, fmt.Errorf("look for newer keys: %w", err)
	}
	after := o.held.Load()
	if after.sealing.revision != before.sealing.revision || after.vault.revision != before.vault.revision {
		if plain, err := open(after); err == nil {
			return plain, nil
		}
	}
	return nil, ErrCannotOpen
}
