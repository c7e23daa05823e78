// Package identity owns who calls: the Authorization header, the principal
// behind it and what that principal's person approved. It is also the client
// side of the auth service.
package identity

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"
)

// Secret is a credential. It prints as a fixed word, whatever prints it.
type Secret string

const redacted = "[redacted]"

// Format hides the secret from every verb of fmt, the wrong ones too, except %p,
// which fmt asks nobody about and go vet refuses.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// String hides the secret; convert with string(s) to use it.
func (Secret) String() string { return redacted }

// LogValue hides the secret from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON hides the secret from encoders.
func (Secret) MarshalJSON() ([]byte, error) { return json.Marshal(redacted) }

// Scheme is how a credential was presented.
type Scheme string

const (
	Token  Scheme = "Token"  // a personal token of the platform
	Bearer Scheme = "Bearer" // an access token of our authorization server
)

// Ask is when a link must ask its person before it acts; the words are the contract's.
type Ask string

const (
	AskNever       Ask = "nunca"
	AskDestructive Ask = "destructivas"
	AskWrites      Ask = "escrituras"
)

// Principal is a caller: a link between a person and a client, inside a scope.
// It is read-only once made and shared between goroutines.
type Principal struct {
	Link      Link
	Client    Client
	Person    Person
	Companies []Company // never empty
	Scope     Scope
}

// Link joins a person and a client.
type Link struct {
	ID           string // "pt_" + 16 hex digits for a personal token
	Scheme       Scheme
	SessionUntil time.Time // zero for a personal token
	Version      uint64    // grows with each change of scope or state
}

// Client is the agent's program, as it named itself or proved to be.
type Client struct {
	ID       string
	Name     string
	Verified bool
}

// Person is who is acted for.
type Person struct {
	ID          int64
	Name        string
	Email       string
	SystemAdmin bool
	ReadOnly    bool // the platform itself lets this person read only
}

// Company is one account of the platform and the credential for it.
type Company struct {
	ID            int64
	Name          string
	Authorization Secret // the platform's whole Authorization header value
}

// Scope is what the person approved.
type Scope struct {
	Areas     []string
	ReadOnly  bool
	Ask       Ask
	Resources map[string]Resources // by kind; an absent kind is unrestricted
}

// Resources is what of one kind a link may touch.
type Resources struct {
	All bool
	IDs []string // ascending; platform ids or names as strings
}

// ReadOnly reports whether the caller may only read: by scope or by the platform.
func (p *Principal) ReadOnly() bool { return p.Scope.ReadOnly || p.Person.ReadOnly }

// MayTouch reports whether the scope includes the resource id of this kind.
func (p *Principal) MayTouch(kind, id string) bool {
	r, restricted := p.Scope.Resources[kind]
	return !restricted || r.All || slices.Contains(r.IDs, id)
}

// Company finds one of the principal's companies by id.
func (p *Principal) Company(id int64) (Company, bool) {
	i := slices.IndexFunc(p.Companies, func(c Company) bool { return c.ID == id })
	if i < 0 {
		return Company{}, false
	}
	return p.Companies[i], true
}
