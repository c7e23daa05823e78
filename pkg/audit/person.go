package audit

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/oklog/ulid/v2"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/audit/spool"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// PersonEvent is something that a person did outside of any call: on a page.
type PersonEvent struct {
	Action  string // one of a fixed set: "secret_taken"
	ID      string // of what it was done to, where that has one; "" otherwise
	Person  int64
	Company int64
	Link    string // "" where it is about none
	Area    string
	Tool    string
	Call    string // the call that it goes back to; "": a new id is made
	Reason  string // the person's own words, if any
	Address string
}

// Person records e and returns when the record is durable. On an error nothing is
// known of it, and what it is about must not happen.
func (l *Log) Person(ctx context.Context, e PersonEvent) error {
	now := l.now()
	r := &auditv1.Record{
		Version: recordVersion, Kind: auditv1.Kind_KIND_PERSON, CallId: e.Call, At: timestamppb.New(now),
		Action: e.Action, Area: e.Area, Tool: e.Tool, LinkId: e.Link, PersonId: e.Person, CompanyId: e.Company,
		OperationId: e.ID, Outcome: ok, Reason: l.masker.Text(cutText(e.Reason, 256)), Address: e.Address, Arguments: []byte("{}"),
	}
	if r.CallId == "" {
		r.CallId = ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
	}
	if !l.room.free(1) {
		return fmt.Errorf("audit of %s: %w", e.Action, spool.ErrFull)
	}
	if err := l.durable(ctx, r); err != nil {
		return fmt.Errorf("audit of %s: %w", e.Action, err)
	}
	return nil
}
