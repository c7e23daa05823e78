package seal

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// masterKeySize is XChaCha20-Poly1305's, in bytes.
const masterKeySize = 32

// ErrMaster is a stored keyset that no configured master key opens.
var ErrMaster = errors.New("no configured master key opens the stored keyset")

// Master encrypts keysets. It holds one or several keys: the first one
// encrypts, all of them decrypt, so that a master key can be changed.
type Master struct{ keys []tink.AEAD }

// ParseMaster reads one or several keys of 32 bytes in base64, separated by
// commas, the present one first. White space around them is ignored. Errors
// never hold a key.
func ParseMaster(text string) (*Master, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, errors.New("the master key is empty; make one with: openssl rand -base64 32")
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return nil, errors.New("the master key holds a control character (a line break, perhaps) inside; separate several keys by commas")
	}
	m := &Master{}
	for i, part := range strings.Split(text, ",") {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(part))
		if err != nil || len(raw) != masterKeySize {
			return nil, fmt.Errorf("master key %d is not %d bytes in base64; make one with: openssl rand -base64 32", i+1, masterKeySize)
		}
		key, err := subtle.NewXChaCha20Poly1305(raw)
		if err != nil {
			return nil, fmt.Errorf("master key %d: %w", i+1, err)
		}
		m.keys = append(m.keys, key)
	}
	return m, nil
}

// Encrypt encrypts with the first key.
func (m *Master) Encrypt(plain, binding []byte) ([]byte, error) {
	return m.keys[0].Encrypt(plain, binding)
}

// Decrypt decrypts with whichever key fits.
func (m *Master) Decrypt(sealed, binding []byte) ([]byte, error) {
	plain, _, err := m.decrypt(sealed, binding)
	return plain, err
}

// decrypt also reports whether the first key was the one that fits.
func (m *Master) decrypt(sealed, binding []byte) (plain []byte, first bool, err error) {
	for i, key := range m.keys {
		if plain, err := key.Decrypt(sealed, binding); err == nil {
			return plain, i == 0, nil
		}
	}
	return nil, false, ErrMaster
}

// EnsureMasterFile makes a file with a fresh master key, mode 0600, unless it is
// there. It gives the file's content: ParseMaster reads it.
func EnsureMasterFile(path string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("master key file: %w", err)
	}
	raw := make([]byte, masterKeySize)
	_, _ = rand.Read(raw) // never fails: crypto/rand
	if err := createWhole(path, []byte(base64.StdEncoding.EncodeToString(raw)+"\n")); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("master key file: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("master key file: %w", err)
	}
	return string(text), nil
}

// createWhole makes path with this content in one step: a reader, or a start
// after a crash, never finds half a key. os.ErrExist when it is there already.
func createWhole(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".master-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}
