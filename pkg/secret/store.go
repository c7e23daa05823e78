// Package secret owns what the platform shows only once: it is sealed and kept
// for the person before anything else is done with the answer, and the agent gets
// an address in its place. It owns the records in the bucket "secrets", how they
// are made (Keeper, on hosts and workers) and that exactly one reader gets each
// (Store.Take). Opening them, and who is at the page, is auth's.
package secret

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/oklog/ulid/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	secretv1 "github.com/comporta-mcp/comporta/proto/secret/v1"
)

const recordVersion = 1

// What a person may meet on the way to a secret.
var (
	ErrNone    = errors.New("no such secret")
	ErrTaken   = errors.New("the secret was seen before")
	ErrExpired = errors.New("the secret has expired")
)

// Store keeps the sealed records. It is safe for concurrent use.
//
// A record is under "<person id>.<id>", so that a look-up is always one inside a
// person: nobody meets another person's secret.
type Store struct {
	bus     *bus.Bus
	records *record.Bucket[*secretv1.Secret]
	now     func() time.Time
}

// NewStore makes the store. It asks NATS nothing.
func NewStore(b *bus.Bus, now func() time.Time) *Store {
	return &Store{bus: b, records: record.Open[*secretv1.Secret](b, bus.Secrets), now: now}
}

// key is where a record is; ok is false for ids that no record can have.
func key(person int64, id string) (string, bool) {
	parsed, err := ulid.ParseStrict(id)
	return strconv.FormatInt(person, 10) + "." + parsed.String(), err == nil && person > 0
}

// Put stores a record. One that is there already is of an earlier try of the same
// call, and what that made is gone: the newest secret is the one that counts.
func (s *Store) Put(ctx context.Context, r *secretv1.Secret) error {
	k, ok := key(r.GetPersonId(), r.GetId())
	if !ok {
		return fmt.Errorf("keep secret %q of person %d: no such id", r.GetId(), r.GetPersonId())
	}
	now := s.now()
	r.Version, r.CreatedAt = recordVersion, timestamppb.New(now)
	r.ExpiresAt = timestamppb.New(now.Add(bus.SecretRetention))
	_, err := s.records.Create(ctx, k, r)
	if errors.Is(err, record.ErrTaken) {
		err = s.replace(ctx, k, r)
	}
	if err != nil {
		return fmt.Errorf("keep secret %s: %w", r.GetId(), err)
	}
	return nil
}

func (s *Store) replace(ctx context.Context, k string, r *secretv1.Secret) error {
	_, revision, err := s.records.Get(ctx, k)
	if err == nil {
		_, err = s.records.Update(ctx, k, r, revision)
	}
	return err
}

// Get gives a person's record, the taken and expired ones too.
func (s *Store) Get(ctx context.Context, person int64, id string) (*secretv1.Secret, error) {
	r, _, err := s.get(ctx, person, id)
	return r, err
}

func (s *Store) get(ctx context.Context, person int64, id string) (*secretv1.Secret, uint64, error) {
	k, ok := key(person, id)
	if !ok {
		return nil, 0, ErrNone
	}
	r, revision, err := s.records.Get(ctx, k)
	if errors.Is(err, record.ErrAbsent) {
		return nil, 0, ErrNone
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read secret %s: %w", id, err)
	}
	return r, revision, nil
}

// Take gives a person's record to exactly one caller, and empties it: whoever
// comes later, on whatever replica, gets ErrTaken. ready is asked before, with
// the record that would be taken; its error leaves everything as it was.
func (s *Store) Take(ctx context.Context, person int64, id string, ready func(*secretv1.Secret) error) error {
	r, revision, err := s.get(ctx, person, id)
	switch {
	case err != nil:
		return err
	case r.GetTakenAt() != nil:
		return ErrTaken
	case !s.now().Before(r.GetExpiresAt().AsTime()):
		return ErrExpired
	}
	if err := ready(r); err != nil {
		return err
	}
	k, _ := key(person, id)
	taken := proto.CloneOf(r)
	taken.Sealed, taken.TakenAt, taken.Taker = nil, timestamppb.New(s.now()), rand.Text()
	_, err = s.records.Update(ctx, k, taken, revision)
	if errors.Is(err, record.ErrConflict) {
		return ErrTaken
	}
	if err != nil {
		return fmt.Errorf("take secret %s: %w", id, err)
	}
	return nil
}

// List gives a person's records, the newest first.
func (s *Store) List(ctx context.Context, person int64) ([]*secretv1.Secret, error) {
	watch, err := s.records.Watch(ctx, strconv.FormatInt(person, 10)+".*")
	if err != nil {
		return nil, fmt.Errorf("list secrets: %w", err)
	}
	defer func() { _ = watch.Stop() }()
	var all []*secretv1.Secret
	for {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("list secrets: %w", context.Cause(ctx))
		case entry, open := <-watch.Updates():
			if !open {
				return nil, errors.New("list secrets: the watch ended")
			}
			if entry == nil { // all that is there was seen
				slices.SortFunc(all, func(a, b *secretv1.Secret) int {
					return b.GetCreatedAt().AsTime().Compare(a.GetCreatedAt().AsTime())
				})
				return all, nil
			}
			if r, err := s.records.Decode(entry.Value()); err == nil && len(entry.Value()) > 0 {
				all = append(all, r)
			}
		}
	}
}
