// Package signin owns who sits in front of the browser: a person who proved with
// a personal token for each company who they are. It keeps that for a while
// behind a cookie. What the person may decide is for the pages.
package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/person"
	"github.com/comporta-mcp/comporta/services/auth/internal/vault"
)

// Session is a person who is signed in. It is read-only once read.
type Session struct {
	Form     int    `json:"form"` // of this record: 1
	PersonID int64  `json:"person_id"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	// ReadOnly: the platform lets the person read only.
	ReadOnly bool `json:"read_only,omitempty"`
	// Companies are those that the person proved in this session; one proven
	// elsewhere counts here no more than any other.
	Companies []link.Company `json:"companies"`
	// At is when the person last proved who they are; zero where that is not known.
	At    time.Time `json:"at"`
	Until time.Time `json:"until"`

	key string // in the bucket
}

const form = 1

// Key names the session without opening it: the hash of its cookie.
func (s *Session) Key() string { return s.key }

// Has reports whether the person proved this company.
func (s *Session) Has(company int64) bool {
	return slices.ContainsFunc(s.Companies, func(c link.Company) bool { return c.ID == company })
}

// ErrNone: nobody is signed in.
var ErrNone = errors.New("nobody is signed in")

// ErrOther is a token of another person than the one who is signed in.
var ErrOther = errors.New("the token belongs to another person")

// Sessions keeps who is signed in, in the bucket "signins".
type Sessions struct {
	Records bus.Records
	Vault   vault.Vault
	Life    time.Duration
	Now     func() time.Time
}

// Start signs a person in and gives the secret for the cookie.
func (s *Sessions) Start(ctx context.Context, who person.Person, token identity.Secret) (identity.Secret, error) {
	session := s.fresh(who.ID, who.Name, who.Email)
	if err := s.put(session, who, token); err != nil {
		return "", err
	}
	return s.open(ctx, session)
}

func (s *Sessions) fresh(id int64, name, email string) *Session {
	now := s.Now().UTC()
	return &Session{PersonID: id, Name: name, Email: email, At: now, Until: now.Add(s.Life)}
}

// open stores a new session.
func (s *Sessions) open(ctx context.Context, session *Session) (identity.Secret, error) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails: crypto/rand
	secret := base64.RawURLEncoding.EncodeToString(random)
	session.key = keyOf(secret)
	return identity.Secret(secret), s.write(ctx, session, 0)
}

// put adds what a token proves.
func (s *Sessions) put(session *Session, who person.Person, token identity.Secret) error {
	if who.ID != session.PersonID {
		return ErrOther
	}
	sealed, err := s.Vault.Seal(who.ID, who.CompanyID, token)
	if err != nil {
		return err
	}
	session.Name, session.Email, session.ReadOnly = who.Name, who.Email, who.ReadOnly
	company := link.Company{ID: who.CompanyID, Name: who.CompanyName, Sealed: sealed}
	if i := slices.IndexFunc(session.Companies, func(c link.Company) bool { return c.ID == company.ID }); i >= 0 {
		session.Companies[i] = company
		return nil
	}
	session.Companies = append(session.Companies, company)
	return nil
}

// Add proves one more company in a session.
func (s *Sessions) Add(ctx context.Context, secret string, who person.Person, token identity.Secret) error {
	session, revision, err := s.read(ctx, secret)
	if err != nil {
		return err
	}
	if err := s.put(session, who, token); err != nil {
		return err
	}
	return s.write(ctx, session, revision)
}

// Get gives the session of a cookie. The error is ErrNone, or another one when
// the bucket cannot be asked.
func (s *Sessions) Get(ctx context.Context, secret string) (*Session, error) {
	session, _, err := s.read(ctx, secret)
	return session, err
}

func (s *Sessions) read(ctx context.Context, secret string) (*Session, uint64, error) {
	if len(secret) != 43 {
		return nil, 0, ErrNone
	}
	found, err := s.Records.Read(ctx, keyOf(secret))
	if err != nil {
		return nil, 0, fmt.Errorf("read a session: %w", err)
	}
	if len(found.Value) == 0 {
		return nil, 0, ErrNone
	}
	session := &Session{key: keyOf(secret)}
	if err := json.Unmarshal(found.Value, session); err != nil || session.Form != form {
		return nil, 0, errors.New("the record of a session cannot be read")
	}
	if !s.Now().Before(session.Until) {
		return nil, 0, ErrNone
	}
	return session, found.Revision, nil
}

// End signs out.
func (s *Sessions) End(ctx context.Context, secret string) error {
	session, revision, err := s.read(ctx, secret)
	if errors.Is(err, ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	session.Until, session.Companies = s.Now().UTC(), nil
	return s.write(ctx, session, revision)
}

func (s *Sessions) write(ctx context.Context, session *Session, revision uint64) error {
	session.Form = form
	data, err := json.Marshal(session)
	if err != nil {
		return fmt.Errorf("encode a session: %w", err)
	}
	_, err = s.Records.Write(ctx, session.key, data, revision, max(session.Until.Sub(s.Now()), time.Second))
	if err != nil {
		return fmt.Errorf("write a session: %w", err)
	}
	return nil
}

// keyOf: only the hash of a cookie is stored.
func keyOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
