// Package store keeps what the sandbox holds, in one bbolt file: resources,
// the effects journal, the answers of repeated writes, revoked tokens, the id
// counter. What a write transaction did is on the disk when Update returns; a
// kill at any moment loses nothing that was answered.
//
// It knows accounts, paths and keys as values; what they mean is the engine's.
package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	bberrors "go.etcd.io/bbolt/errors"
)

// The top-level buckets.
var (
	resources = []byte("resources")
	effects   = []byte("effects")
	answers   = []byte("answers")
	tokens    = []byte("revoked_tokens")
)

// firstID is the first id ever given: large enough not to be mistaken for a position.
const firstID = 1_000_001

// Store is the open file.
type Store struct{ db *bbolt.DB }

// Open opens the file in dir, which is made if absent. A file that another
// process holds is an error after one second.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	file := filepath.Join(dir, "sandbox.db")
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{Timeout: time.Second})
	if errors.Is(err, bberrors.ErrTimeout) {
		return nil, fmt.Errorf("open %s: another process has it open", file)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	s := &Store{db: db}
	if err := s.Update(func(tx *Tx) error { return tx.prepare() }); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// Close waits for running transactions and closes the file.
func (s *Store) Close() error { return s.db.Close() }

// View runs f on what is there now.
func (s *Store) View(f func(*Tx) error) error {
	return s.db.View(func(tx *bbolt.Tx) error { return f(&Tx{tx}) })
}

// Update runs f alone among writers; all of what it did is kept, or, when it
// fails, nothing.
func (s *Store) Update(f func(*Tx) error) error {
	return s.db.Update(func(tx *bbolt.Tx) error { return f(&Tx{tx}) })
}

// Tx is one transaction.
type Tx struct{ tx *bbolt.Tx }

func (t *Tx) prepare() error {
	for _, name := range [][]byte{resources, effects, answers, tokens} {
		if _, err := t.tx.CreateBucketIfNotExists(name); err != nil {
			return fmt.Errorf("prepare the file: %w", err)
		}
	}
	if b := t.tx.Bucket(resources); b.Sequence() == 0 {
		return b.SetSequence(firstID - 1)
	}
	return nil
}

// NextID is an id that nothing has had before, larger than all of them.
func (t *Tx) NextID() (int64, error) {
	n, err := t.tx.Bucket(resources).NextSequence()
	return int64(n), err
}

// SetNextID moves the counter, so that tests meet ids of any size. It goes up only.
func (t *Tx) SetNextID(next int64) error {
	b := t.tx.Bucket(resources)
	if next <= 0 || uint64(next) <= b.Sequence() {
		return fmt.Errorf("the next id must be above %d", b.Sequence())
	}
	return b.SetSequence(uint64(next) - 1)
}

func put(b *bbolt.Bucket, key []byte, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode a record: %w", err)
	}
	return b.Put(key, raw)
}

// account starts every key, so that an account's things lie together.
func account(id int64, rest string) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(id)), rest...)
}
