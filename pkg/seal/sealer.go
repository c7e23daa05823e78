// Package seal owns encryption at rest and on the way to auth, with Tink.
//
// A Sealer holds the public half of a key pair: hosts seal with it what only
// auth can open again. An Opener is auth's side: the private keysets, shared by
// its replicas through a bucket, encrypted there under a master key. It also
// makes and knows the tags (MACs) on what auth gives away.
package seal

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/hybrid"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// Sealer encrypts for auth. It is safe for use by several goroutines.
type Sealer struct{ encrypter tink.HybridEncrypt }

// NewSealer reads a Tink public keyset in its binary form. A keyset that holds
// private keys is refused.
func NewSealer(public []byte) (*Sealer, error) {
	handle, err := keyset.ReadWithNoSecrets(keyset.NewBinaryReader(bytes.NewReader(public)))
	if err != nil {
		return nil, fmt.Errorf("read the public keyset: %w", err)
	}
	encrypter, err := hybrid.NewHybridEncrypt(handle)
	if err != nil {
		return nil, fmt.Errorf("use the public keyset: %w", err)
	}
	return &Sealer{encrypter: encrypter}, nil
}

// Seal encrypts plain so that it opens only together with the same binding.
func (s *Sealer) Seal(plain, binding []byte) ([]byte, error) {
	sealed, err := s.encrypter.Encrypt(plain, binding)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return sealed, nil
}

// ForOperation is the binding of what is sealed for one operation of one link:
// sealed bytes that are moved to another record do not open.
func ForOperation(operationID, linkID string) []byte {
	return Binding("operation", operationID, linkID)
}

// Binding is the binding of one kind of record: parts say which record it is.
func Binding(kind string, parts ...string) []byte {
	binding := []byte("comporta " + kind + " 1\n")
	for _, part := range parts {
		binding = binary.AppendUvarint(binding, uint64(len(part)))
		binding = append(binding, part...)
	}
	return binding
}
