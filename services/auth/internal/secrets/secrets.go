// Package secrets gives a person what the platform showed once: it lists what
// waits for them, and opens one of them for exactly one look, which the audit
// knows of first. Who the person is must be settled before; the page is package
// web's. How the records come about is pkg/secret's.
package secrets

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/secret"
	secretv1 "github.com/comporta-mcp/comporta/proto/secret/v1"
)

// What Take may answer; any other error means that it could not be asked, and
// that the secret is still there.
var (
	ErrNone    = secret.ErrNone
	ErrTaken   = secret.ErrTaken
	ErrExpired = secret.ErrExpired
)

// Store keeps the records; package secret says how.
type Store interface {
	List(ctx context.Context, person int64) ([]*secretv1.Secret, error)
	Take(ctx context.Context, person int64, id string, ready func(*secretv1.Secret) error) error
}

// Keys opens what hosts sealed.
type Keys interface {
	Open(ctx context.Context, sealed, binding []byte) ([]byte, error)
}

// Audit makes a record of what a person did durable before it returns.
type Audit interface {
	Person(ctx context.Context, e audit.PersonEvent) error
}

// Secrets is safe for concurrent use.
type Secrets struct {
	Store Store
	Keys  Keys
	Audit Audit
	Now   func() time.Time
}

// Kept is a secret as a list shows it, without the secret.
type Kept struct {
	ID        string
	Tool      string
	Area      string
	LinkID    string
	CompanyID int64
	Names     []string // "data.secret_key"
	CreatedAt time.Time
	ExpiresAt time.Time
	TakenAt   time.Time // zero: it waits
}

// List gives what was kept for the person and has not expired, the newest first,
// what was seen included.
func (s *Secrets) List(ctx context.Context, person int64) ([]Kept, error) {
	records, err := s.Store.List(ctx, person)
	if err != nil {
		return nil, err
	}
	var all []Kept
	for _, r := range records {
		if s.Now().Before(r.GetExpiresAt().AsTime()) {
			all = append(all, keptOf(r))
		}
	}
	return all, nil
}

func keptOf(r *secretv1.Secret) Kept {
	k := Kept{
		ID: r.GetId(), Tool: r.GetTool(), Area: r.GetArea(), LinkID: r.GetLinkId(), CompanyID: r.GetCompanyId(),
		Names: r.GetNames(), CreatedAt: r.GetCreatedAt().AsTime(), ExpiresAt: r.GetExpiresAt().AsTime(),
	}
	if taken := r.GetTakenAt(); taken != nil {
		k.TakenAt = taken.AsTime()
	}
	return k
}

// Value is one secret and where it stood in the platform's answer.
type Value struct {
	Name string
	Text string // JSON, where the secret is no text
}

// Take gives the values to exactly one caller; address is where the person is,
// for the audit. The record of the taking is durable before anything is given
// away, so a taking that was broken off has one too.
func (s *Secrets) Take(ctx context.Context, person int64, id, address string) ([]Value, error) {
	var values []Value
	var event *audit.PersonEvent
	err := s.Store.Take(ctx, person, id, func(r *secretv1.Secret) error {
		plain, err := s.Keys.Open(ctx, r.GetSealed(), secret.Binding(r.GetId(), r.GetPersonId(), r.GetLinkId(), r.GetTool()))
		if err != nil {
			return fmt.Errorf("open secret %s: %w", id, err)
		}
		if values, err = valuesOf(plain); err != nil {
			return fmt.Errorf("open secret %s: %w", id, err)
		}
		event = &audit.PersonEvent{
			Action: "secret_taken", ID: r.GetId(), Person: person, Company: r.GetCompanyId(), Link: r.GetLinkId(),
			Area: r.GetArea(), Tool: r.GetTool(), Call: r.GetCallId(), Address: address,
		}
		return s.Audit.Person(ctx, *event)
	})
	if err == nil {
		return values, nil
	}
	if event != nil && errors.Is(err, ErrTaken) { // recorded, and then somebody else was faster
		event.Action = "secret_not_given"
		err = errors.Join(err, s.Audit.Person(ctx, *event))
	}
	return nil, err
}

func valuesOf(plain []byte) ([]Value, error) {
	var object map[string]json.RawMessage
	if json.Unmarshal(plain, &object) != nil {
		return nil, errors.New("it is no JSON object") // the cause may quote it
	}
	var values []Value
	for name, raw := range object {
		v := Value{Name: name, Text: string(raw)}
		var text string
		if json.Unmarshal(raw, &text) == nil {
			v.Text = text
		}
		values = append(values, v)
	}
	slices.SortFunc(values, func(a, b Value) int { return cmp.Compare(a.Name, b.Name) })
	return values, nil
}
