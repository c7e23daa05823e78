// Package vault keeps the platform's credentials of persons: a personal token
// for each company, encrypted, and good for that person and company only. An
// agent never sees one.
package vault

import (
	"context"
	"fmt"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// Keys encrypts for storage; *seal.Opener does.
type Keys interface {
	Encrypt(plain, binding []byte) ([]byte, error)
	Decrypt(ctx context.Context, sealed, binding []byte) ([]byte, error)
}

// Vault seals and opens. It holds nothing: what is sealed stands in the records
// that need it.
type Vault struct{ Keys Keys }

// Seal encrypts a person's token for a company.
func (v Vault) Seal(person, company int64, token identity.Secret) ([]byte, error) {
	sealed, err := v.Keys.Encrypt([]byte(token), binding(person, company))
	if err != nil {
		return nil, fmt.Errorf("seal a credential: %w", err)
	}
	return sealed, nil
}

// Open is the opposite of Seal. What was moved to another person's record does
// not open.
func (v Vault) Open(ctx context.Context, person, company int64, sealed []byte) (identity.Secret, error) {
	plain, err := v.Keys.Decrypt(ctx, sealed, binding(person, company))
	if err != nil {
		return "", fmt.Errorf("open the credential for company %d: %w", company, err)
	}
	return identity.Secret(plain), nil
}

func binding(person, company int64) []byte {
	return fmt.Appendf(nil, "comporta credential 1\n%d\n%d", person, company)
}
