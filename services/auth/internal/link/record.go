// Package link owns the links of persons and clients: their records in the
// bucket "links", the copies of them in this replica's memory, and the proof
// that these copies are not late. Who may change a link is for its callers.
package link

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// State is whether a link may act.
type State string

const (
	Active  State = "active"
	Paused  State = "paused"  // its person may let it go on
	Revoked State = "revoked" // for ever
)

// Record is a link as it is stored. It is read-only once read: copies of it are
// shared between goroutines.
type Record struct {
	Form    int    `json:"form"` // of this record: 1
	ID      string `json:"id"`
	State   State  `json:"state"`
	Version uint64 `json:"version"` // grows with each change of state or scope, from 1

	PersonID    int64  `json:"person_id"`
	PersonName  string `json:"person_name"`
	Email       string `json:"email"`
	CompanyID   int64  `json:"company_id"`
	CompanyName string `json:"company_name"`
	ClientName  string `json:"client_name"`

	// What follows belongs to links that a person approved; see approved.go.

	ClientID    string    `json:"client_id,omitempty"`
	Verified    bool      `json:"verified,omitempty"` // the client proved its identity
	SystemAdmin bool      `json:"system_admin,omitempty"`
	ReadOnly    bool      `json:"read_only,omitempty"` // the platform lets the person read only
	Scope       *Scope    `json:"scope,omitempty"`     // nil on an implicit link
	Companies   []Company `json:"companies,omitempty"`
	Until       time.Time `json:"until,omitzero"` // when the approval ends
	Sessions    []Session `json:"sessions,omitempty"`
	Marks       []Mark    `json:"marks,omitempty"`

	CreatedAt   time.Time `json:"created_at"`
	LastUseAt   time.Time `json:"last_use_at"`
	LastAddress string    `json:"last_address"` // the network address of that use
}

const form = 1

// PersonalToken is the client's name on the implicit link of a personal token: contract §3.
const PersonalToken = "personal token"

// prefix begins the ids of implicit links.
const prefix = "pt_"

// ImplicitID names the link of a personal token by the token's SHA-256: contract §3.
func ImplicitID(sum [32]byte) string { return prefix + hex.EncodeToString(sum[:8]) }

// Implicit reports whether a link's id is that of a personal token.
func Implicit(id string) bool { return strings.HasPrefix(id, prefix) }

func encode(r Record) ([]byte, error) {
	r.Form = form
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode link %s: %w", r.ID, err)
	}
	return data, nil
}

func decode(id string, data []byte) (*Record, error) {
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("decode link %s: %w", id, err)
	}
	if r.Form != form {
		return nil, fmt.Errorf("link %s has the form %d; this program knows %d", id, r.Form, form)
	}
	if r.ID != id {
		return nil, fmt.Errorf("the record of link %s names another link", id)
	}
	return &r, nil
}
