// Package grant owns OAuth sessions: the record behind a code and the tokens
// that follow it, with a generation that grows at each refresh. Every step is
// one compare-and-set on that record, so that of several at once one wins.
//
// Whether a session lives is written in its link (package link), where a
// person's click ends it; this package opens and closes it there. What the
// tokens look like is package ticket's, who may ask for them the endpoints'.
package grant

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Record is a grant as it is stored. It is read-only once read.
type Record struct {
	Form     int    `json:"form"` // of this record: 1
	ID       string `json:"id"`   // the link's id, a dash, a random part
	ClientID string `json:"client_id"`

	CreatedAt time.Time `json:"created_at"`
	Until     time.Time `json:"until"` // whatever is refreshed, the session ends then

	// What the code is bound to.
	RedirectURI string `json:"redirect_uri"`
	// Repeat says that the token request must repeat RedirectURI, since the
	// authorization request named it.
	Repeat    bool   `json:"repeat"`
	Challenge string `json:"challenge"` // S256

	// Generation counts the token pairs that were given; 0: the code was not used.
	Generation uint64 `json:"generation"`
	// Of the present generation: when it was made, the key that signs its tokens,
	// and until when they live. The tokens themselves are not stored: these make
	// the very same ones again.
	MadeAt       time.Time `json:"made_at,omitzero"`
	Key          uint32    `json:"key,omitempty"`
	AccessUntil  time.Time `json:"access_until,omitzero"`
	RefreshUntil time.Time `json:"refresh_until,omitzero"`
}

const form = 1

// LinkID is the link that a grant belongs to.
func LinkID(grantID string) string {
	link, _, _ := strings.Cut(grantID, "-")
	return link
}

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func newID(linkID string) string {
	random := make([]byte, 10)
	_, _ = rand.Read(random) // never fails: crypto/rand
	return linkID + "-" + base32Lower.EncodeToString(random)
}

func (r *Record) encode() ([]byte, error) {
	r.Form = form
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode grant %s: %w", r.ID, err)
	}
	return data, nil
}

func decode(id string, data []byte) (*Record, error) {
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("decode grant %s: %w", id, err)
	}
	if r.Form != form || r.ID != id {
		return nil, fmt.Errorf("the record of grant %s has form %d and another's name or an unknown form", id, r.Form)
	}
	return &r, nil
}
