package operation

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// PayloadKey is under what the payload's key lies among the sealed arguments; no
// argument can have this name.
const PayloadKey = " payload"

// large is the size from which an argument goes into the payload, in bytes.
const large = 64 << 10

// TakeLarge moves the arguments that are too large for a record out of the given
// maps; nil where everything fits.
func TakeLarge(parts ...map[string]any) map[string]any {
	sizes, total := map[string]int{}, 0
	for _, part := range parts {
		for name, value := range part {
			text, err := json.Marshal(value)
			if err != nil {
				continue // whoever encodes the rest says so
			}
			sizes[name] = len(text)
			total += len(text)
		}
	}
	if total <= MaxArguments-spare {
		return nil
	}
	taken := map[string]any{}
	for _, part := range parts {
		for name, value := range part {
			if sizes[name] >= large {
				taken[name] = value
				delete(part, name)
			}
		}
	}
	return taken
}

// Close makes arguments unreadable to whoever has not got the key, which is used
// for nothing else. The operation's id is bound to them.
func Close(args map[string]any, id string) (closed []byte, key string, err error) {
	plain, err := json.Marshal(args)
	if err != nil {
		return nil, "", fmt.Errorf("encode the payload of operation %s: %w", id, err)
	}
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, "", fmt.Errorf("make the payload's key: %w", err)
	}
	sealer, err := aead(secret)
	if err != nil {
		return nil, "", err
	}
	return sealer.Seal(nil, nil, plain, []byte(id)), base64.StdEncoding.EncodeToString(secret), nil
}

// open is the inverse of Close.
func open(closed []byte, key, id string) ([]byte, error) {
	secret, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return nil, fmt.Errorf("read the payload's key: %w", err)
	}
	opener, err := aead(secret)
	if err != nil {
		return nil, err
	}
	plain, err := opener.Open(nil, nil, closed, []byte(id))
	if err != nil {
		return nil, fmt.Errorf("open the payload of operation %s: %w", id, err)
	}
	return plain, nil
}

func aead(secret []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, fmt.Errorf("use the payload's key: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// Keep stores a closed payload and notes it in op, before op is submitted: a
// record never names what is not there. Its error is a problem.
func (s *Store) Keep(ctx context.Context, op *operationv1.Operation, closed []byte) error {
	name := op.GetId() + "." + rand.Text() // never shared with another Submit of this id
	err := record.Persist(ctx, func(ctx context.Context) error {
		store, err := s.bus.JS.ObjectStore(ctx, bus.Payloads)
		if err != nil {
			return err
		}
		_, err = store.PutBytes(ctx, name, closed)
		return err
	})
	if err != nil {
		return notStarted(fmt.Errorf("store the payload: %w", err))
	}
	digest := sha256.Sum256(closed)
	op.Payload, op.PayloadDigest = name, digest[:]
	return nil
}

// Payload gives the large arguments of an operation as JSON; key is what was
// sealed under PayloadKey. Its errors are those of package record.
func (s *Store) Payload(ctx context.Context, op *operationv1.Operation, key string) ([]byte, error) {
	var closed []byte
	err := record.Persist(ctx, func(ctx context.Context) error {
		store, err := s.bus.JS.ObjectStore(ctx, bus.Payloads)
		if err != nil {
			return err
		}
		closed, err = store.GetBytes(ctx, op.GetPayload())
		return err
	})
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, fmt.Errorf("the payload of operation %s: %w", op.GetId(), record.ErrAbsent)
	}
	if err != nil {
		return nil, fmt.Errorf("the payload of operation %s: %w", op.GetId(), err)
	}
	if digest := sha256.Sum256(closed); !bytes.Equal(digest[:], op.GetPayloadDigest()) {
		return nil, fmt.Errorf("the payload of operation %s is another one than was submitted", op.GetId())
	}
	return open(closed, key, op.GetId())
}

// drop removes a payload that nobody needs any more. Where that fails, it goes
// with the store's retention.
func (s *Store) drop(ctx context.Context, name string) {
	if name == "" {
		return
	}
	_ = record.Persist(ctx, func(ctx context.Context) error {
		store, err := s.bus.JS.ObjectStore(ctx, bus.Payloads)
		if err != nil {
			return err
		}
		return store.Delete(ctx, name)
	})
}
