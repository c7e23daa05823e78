// Package ticket owns the form of codes, access tokens and refresh tokens:
//
//	kind_grant.generation.expiry.area.tag
//
// Each says which grant gave it and carries a tag that only auth can make, so
// that a forged one never reaches a store. What a grant is, and whether a good
// ticket is still worth anything, is for others.
package ticket

import (
	"context"
	"encoding/base64"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/seal"
)

// Kind is what a ticket is good for.
type Kind string

const (
	Code    Kind = "ac"
	Access  Kind = "at"
	Refresh Kind = "rt"
)

// Ticket is what a code or token says.
type Ticket struct {
	Kind       Kind
	Grant      string
	Generation uint64
	Until      time.Time // in whole seconds
	Area       string    // access tokens for one area; "" is every approved one
}

// Keys makes and knows tags; *seal.Opener does.
type Keys interface {
	Tag(ctx context.Context, data []byte, key uint32) ([]byte, error)
	Check(ctx context.Context, tag, data []byte) error
}

// everyArea stands in the area's place for "".
const everyArea = "-"

// Write gives the ticket's text under the key of this id. The same ticket and
// key give the same text.
func Write(ctx context.Context, keys Keys, key uint32, t Ticket) (identity.Secret, error) {
	area := t.Area
	if area == "" {
		area = everyArea
	}
	body := strings.Join([]string{
		string(t.Kind) + "_" + t.Grant,
		strconv.FormatUint(t.Generation, 36),
		strconv.FormatInt(t.Until.Unix(), 36),
		area,
	}, ".")
	tag, err := keys.Tag(ctx, []byte(body), key)
	if err != nil {
		return "", fmt.Errorf("write a ticket: %w", err)
	}
	return identity.Secret(body + "." + base64.RawURLEncoding.EncodeToString(tag)), nil
}

// form is a ticket as it is written; numbers as FormatInt writes them.
var form = regexp.MustCompile(`^(ac|at|rt)_([0-9A-Za-z-]{1,64})\.(0|[1-9a-z][0-9a-z]{0,12})\.(0|[1-9a-z][0-9a-z]{0,9})\.(-|[a-z][a-z0-9-]{0,62})\.([0-9A-Za-z_-]{28})$`)

// maxText bounds what is looked at, in bytes.
const maxText = 256

// Read reads a ticket of this kind. The error is seal.ErrForged for everything
// that we did not write; time is not looked at.
func Read(ctx context.Context, keys Keys, kind Kind, text identity.Secret) (Ticket, error) {
	if len(text) > maxText {
		return Ticket{}, seal.ErrForged
	}
	part := form.FindStringSubmatch(string(text))
	if part == nil || part[1] != string(kind) {
		return Ticket{}, seal.ErrForged
	}
	tag, err := base64.RawURLEncoding.Strict().DecodeString(part[6])
	if err != nil {
		return Ticket{}, seal.ErrForged
	}
	body, _, _ := strings.Cut(string(text), "."+part[6])
	if err := keys.Check(ctx, tag, []byte(body)); err != nil {
		return Ticket{}, err
	}
	t := Ticket{Kind: kind, Grant: part[2], Area: part[5]}
	if t.Area == everyArea {
		t.Area = ""
	}
	until, err := strconv.ParseInt(part[4], 36, 64)
	if err == nil {
		t.Generation, err = strconv.ParseUint(part[3], 36, 64)
	}
	if err != nil {
		return Ticket{}, seal.ErrForged
	}
	t.Until = time.Unix(until, 0).UTC()
	return t, nil
}
