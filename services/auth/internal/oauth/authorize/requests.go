package authorize

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// requestLife is how long a request waits for its person: contract §4.
const requestLife = 10 * time.Minute

// Request is an authorization request that was found good.
type Request struct {
	Form        int      `json:"form"` // of the stored record: 1
	ID          string   `json:"id"`
	ClientID    string   `json:"client_id"`
	RedirectURI string   `json:"redirect_uri"`
	Repeat      bool     `json:"repeat"` // the request named RedirectURI
	State       []byte   `json:"state"`  // byte for byte; nil: there was none
	Challenge   string   `json:"challenge"`
	Areas       []string `json:"areas"` // what resource and scope ask for
	Writes      bool     `json:"writes"`
	Consent     bool     `json:"consent"` // prompt=consent: the page is shown in any case
	Login       bool     `json:"login"`   // prompt=login: signed in after the request

	Browser string    `json:"browser"` // whose it is
	At      time.Time `json:"at"`
	Used    bool      `json:"used"` // it was answered
}

const recordForm = 1

// errGone: there is no such request (any more), or it was answered.
var errGone = errors.New("no such authorization request")

// Requests keeps requests in the bucket "requests", which forgets them by itself.
type Requests struct {
	Records bus.Records
	Now     func() time.Time
}

func (s *Requests) add(ctx context.Context, r *Request) error {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails: crypto/rand
	r.ID, r.At = hex.EncodeToString(random), s.Now().UTC()
	return s.write(ctx, r, 0)
}

var requestID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// get gives a request that waits for its answer, with its revision.
func (s *Requests) get(ctx context.Context, id string) (*Request, uint64, error) {
	if !requestID.MatchString(id) {
		return nil, 0, errGone
	}
	found, err := s.Records.Read(ctx, id)
	if err != nil {
		return nil, 0, fmt.Errorf("read an authorization request: %w", err)
	}
	if found.Value == nil {
		return nil, 0, errGone
	}
	var r Request
	if err := json.Unmarshal(found.Value, &r); err != nil || r.Form != recordForm || r.ID != id {
		return nil, 0, errors.New("the record of an authorization request cannot be read")
	}
	if r.Used || s.Now().Sub(r.At) >= requestLife {
		return nil, 0, errGone
	}
	return &r, found.Revision, nil
}

// use marks a request as answered; of two at once one gets errGone.
func (s *Requests) use(ctx context.Context, r *Request, revision uint64) error {
	used := *r
	used.Used = true
	err := s.write(ctx, &used, revision)
	if bus.IsConflict(err) {
		return errGone
	}
	return err
}

func (s *Requests) write(ctx context.Context, r *Request, revision uint64) error {
	r.Form = recordForm
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode an authorization request: %w", err)
	}
	if _, err := s.Records.Write(ctx, r.ID, data, revision, 0); err != nil {
		return fmt.Errorf("write an authorization request: %w", err)
	}
	return nil
}
