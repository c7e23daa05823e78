package link

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// ofPrefix begins the keys that tell the link of a person and a client.
const ofPrefix = "of."

func ofKey(person int64, client string) string {
	sum := sha256.Sum256([]byte(client))
	return ofPrefix + strconv.FormatInt(person, 10) + "." + hex.EncodeToString(sum[:16])
}

// Of gives the link that joins a person and a client, read anew. A revoked one
// is none: the next approval makes another.
func (l *Links) Of(ctx context.Context, person int64, client string) (*Record, error) {
	stored, err := l.store.records.Read(ctx, ofKey(person, client))
	if err != nil {
		return nil, err
	}
	if stored.Value == nil {
		return nil, ErrNone
	}
	v, err := l.store.read(ctx, string(stored.Value))
	switch {
	case err != nil:
		return nil, err
	case v.record == nil || v.record.State == Revoked:
		return nil, ErrNone
	}
	return v.record, nil
}

// Join gives the link of a person and a client after change has worked on it:
// the one there is, or a new one.
func (l *Links) Join(ctx context.Context, person int64, client string, change func(*Record) error) (*Record, error) {
	for range maxTries {
		record, err := l.Of(ctx, person, client)
		switch {
		case err == nil:
			return l.Change(ctx, record.ID, change)
		case !errors.Is(err, ErrNone):
			return nil, err
		}
		record, err = l.found(ctx, person, client, change)
		if !errors.Is(err, errConflict) {
			return record, err
		}
	}
	return nil, fmt.Errorf("join person %d and a client: %w", person, errConflict)
}

// found makes a new link. The record comes first: one that nobody is led to does
// no harm, a key that leads nowhere would.
func (l *Links) found(ctx context.Context, person int64, client string, change func(*Record) error) (*Record, error) {
	key := ofKey(person, client)
	before, err := l.store.records.Read(ctx, key)
	if err != nil {
		return nil, err
	}
	now := l.now().UTC()
	fresh := Record{
		ID:    ulid.MustNew(ulid.Timestamp(now), rand.Reader).String(),
		State: Active, Version: 1,
		PersonID: person, ClientID: client,
		CreatedAt: now, LastUseAt: now,
	}
	if err := change(&fresh); err != nil {
		return nil, err
	}
	if err := l.enter(ctx, person, fresh.ID); err != nil {
		return nil, err
	}
	made, err := l.store.create(ctx, fresh)
	if err != nil {
		return nil, err
	}
	_, err = l.store.records.Write(ctx, key, []byte(fresh.ID), before.Revision, 0)
	if bus.IsConflict(err) { // another approval was faster; ours joins its link
		_ = l.store.kv.Purge(ctx, fresh.ID)
		return nil, errConflict
	}
	if err != nil {
		return nil, err
	}
	l.cache.apply(fresh.ID, made)
	return made.record, nil
}

// isLink reports whether a key of the bucket is that of a link: no link's id
// holds a dot, and every other key does.
func isLink(key string) bool { return !strings.Contains(key, ".") }
