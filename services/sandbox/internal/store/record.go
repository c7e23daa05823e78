package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"go.etcd.io/bbolt"
)

// Change is what is still happening to a resource.
type Change string

// The changes; a deletion that is over leaves nothing.
const (
	Settled  Change = ""
	Creating Change = "create"
	Updating Change = "update"
	Deleting Change = "delete"
)

// Record is one resource.
type Record struct {
	Key     string         `json:"key"` // as it stands in a path, decoded
	Data    map[string]any `json:"data"`
	Blob    []byte         `json:"blob,omitempty"` // of a raw resource
	Media   string         `json:"media,omitempty"`
	Created time.Time      `json:"created"`
	Change  Change         `json:"change,omitempty"`
	Until   time.Time      `json:"until,omitzero"` // when Change is over
}

// Now is the record as it is at a moment; false when it is gone by then.
func (r *Record) Now(at time.Time) bool {
	if r.Change == Settled || at.Before(r.Until) {
		return true
	}
	gone := r.Change == Deleting
	r.Change, r.Until = Settled, time.Time{}
	return !gone
}

// Place is where a record lies: an account, a concrete collection path with
// escaped segments, and a key that sorts as the collection's items do.
type Place struct {
	Account int64
	Path    string
	Sort    string
}

// A path ends in a zero byte before the key, so that a collection's items lie
// together and apart from what lies below them.
func (p Place) bytes() []byte { return account(p.Account, p.Path+"\x00"+p.Sort) }

// Get is the record at a place; nil when there is none.
func (t *Tx) Get(p Place) (*Record, error) {
	raw := t.tx.Bucket(resources).Get(p.bytes())
	if raw == nil {
		return nil, nil
	}
	return decode(raw)
}

// Put keeps a record at a place.
func (t *Tx) Put(p Place, r *Record) error { return put(t.tx.Bucket(resources), p.bytes(), r) }

// Delete takes away the record at a place, and, with below not empty, everything
// under that path.
func (t *Tx) Delete(p Place, below string) error {
	b := t.tx.Bucket(resources)
	if err := b.Delete(p.bytes()); err != nil {
		return err
	}
	if below == "" {
		return nil
	}
	return deletePrefix(b, account(p.Account, below+"/"))
}

// Items are the records of one collection, in the order of their keys.
func (t *Tx) Items(accountID int64, path string) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		prefix := account(accountID, path+"\x00")
		c := t.tx.Bucket(resources).Cursor()
		for k, raw := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, raw = c.Next() {
			if !yield(decode(raw)) {
				return
			}
		}
	}
}

// Below are the places under a path and their records, in the order of paths.
func (t *Tx) Below(accountID int64, path string) ([]Place, []*Record, error) {
	var places []Place
	var records []*Record
	prefix := account(accountID, path+"/")
	c := t.tx.Bucket(resources).Cursor()
	for k, raw := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, raw = c.Next() {
		record, err := decode(raw)
		if err != nil {
			return nil, nil, err
		}
		at, sort, _ := bytes.Cut(k[len(account(accountID, "")):], []byte{0})
		places = append(places, Place{Account: accountID, Path: string(at), Sort: string(sort)})
		records = append(records, record)
	}
	return places, records, nil
}

// Reset takes away everything that an account has.
func (t *Tx) Reset(accountID int64) error {
	for _, name := range [][]byte{resources, effects, answers} {
		if err := deletePrefix(t.tx.Bucket(name), account(accountID, "")); err != nil {
			return err
		}
	}
	return nil
}

// deletePrefix collects first: bbolt's cursors must not walk over what changes.
func deletePrefix(b *bbolt.Bucket, prefix []byte) error {
	var keys [][]byte
	c := b.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		keys = append(keys, bytes.Clone(k))
	}
	for _, k := range keys {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

func decode(raw []byte) (*Record, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // ids keep every digit
	r := new(Record)
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("decode a record: %w", err)
	}
	return r, nil
}
