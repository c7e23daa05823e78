package approve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/operation"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
)

// Awaited keeps what auth itself knows of the calls that persons decide on: since
// when each waits, what it would do, and whether the yes was used. Records of
// operations are written by hosts and workers, and prove nothing of that.
type Awaited struct {
	Records bus.Records
	Now     func() time.Time
}

// ErrOtherCall: the operation waits already, to do something else.
var ErrOtherCall = errors.New("another call waits under this id")

// noted is one such record; known is false where there is none.
type noted struct {
	key      string
	call     *authv1.Awaited
	revision uint64
	known    bool
}

// Open notes that a call waits from now on, and gives until when. Again it changes
// nothing.
func (a Awaited) Open(ctx context.Context, link, id string, digest []byte) (time.Time, error) {
	n, err := a.read(ctx, link, id)
	if err != nil {
		return time.Time{}, err
	}
	if !n.known {
		n.call = &authv1.Awaited{CallDigest: digest, AskedAt: timestamppb.New(a.Now())}
		if err = a.write(ctx, n); bus.IsConflict(err) {
			n, err = a.read(ctx, link, id)
		}
		if err != nil {
			return time.Time{}, err
		}
	}
	if !bytes.Equal(n.call.GetCallDigest(), digest) {
		return time.Time{}, ErrOtherCall
	}
	return until(n.call), nil
}

// advance judges a step of the call with this yes of that time, and notes it. Of
// two at once that cannot both be, one is refused.
func (a Awaited) advance(ctx context.Context, link, id string, digest []byte, yes time.Time, r *authv1.ReleaseRequest) (bool, error) {
	for {
		n, err := a.read(ctx, link, id)
		if err != nil {
			return false, err
		}
		if !n.known || !bytes.Equal(n.call.GetCallDigest(), digest) {
			return false, nil
		}
		good, changed := step(n.call, a.Now(), yes, r)
		if !good || !changed {
			return good, nil
		}
		if err := a.write(ctx, n); !bus.IsConflict(err) {
			return err == nil, err
		}
	}
}

// End notes that a call has ended: no yes is good for it any more. Who says so
// needs no proof, since it takes away only.
func (a Awaited) End(ctx context.Context, link, id string) error {
	for {
		n, err := a.read(ctx, link, id)
		if err != nil || !n.known || n.call.GetEnded() {
			return err
		}
		n.call.Ended = true
		if err := a.write(ctx, n); !bus.IsConflict(err) {
			return err
		}
	}
}

// step says whether a step may be, and makes it.
func step(call *authv1.Awaited, now, yes time.Time, r *authv1.ReleaseRequest) (good, changed bool) {
	late := now.Sub(yes) >= approval.Usable
	sent := call.GetSentAt() != nil
	switch r.GetStep() {
	case authv1.ApprovedStep_APPROVED_STEP_REFUSED:
		call.SentAt, call.Attempt = nil, nil
		return !call.GetEnded(), sent
	case authv1.ApprovedStep_APPROVED_STEP_SEND:
		if sent && len(r.GetAttempt()) > 0 && bytes.Equal(r.GetAttempt(), call.GetAttempt()) {
			return !call.GetEnded(), false // the answer was lost, and the question came again
		}
		call.SentAt, call.Attempt = timestamppb.New(now), r.GetAttempt()
		return !sent && !late && !call.GetEnded(), true
	case authv1.ApprovedStep_APPROVED_STEP_SEND_AGAIN:
		call.SentAt = timestamppb.New(now)
		return !late && !call.GetEnded(), true
	default: // what was sent may still be followed to its end
		return !call.GetEnded() && (sent || !late), false
	}
}

func (a Awaited) read(ctx context.Context, link, id string) (noted, error) {
	key, ok := operation.Key(link, id)
	if !ok {
		return noted{}, nil
	}
	found, err := a.Records.Read(ctx, key)
	if err != nil {
		return noted{}, fmt.Errorf("read since when a call waits: %w", err)
	}
	n := noted{key: key, call: &authv1.Awaited{}, revision: found.Revision, known: found.Value != nil}
	if err := proto.Unmarshal(found.Value, n.call); err != nil {
		return noted{}, fmt.Errorf("read since when a call waits: %w", err)
	}
	return n, nil
}

func (a Awaited) write(ctx context.Context, n noted) error {
	if n.key == "" {
		return errors.New("a call without a good id cannot wait")
	}
	n.call.Version = 1
	data, err := proto.Marshal(n.call)
	if err != nil {
		return fmt.Errorf("encode since when a call waits: %w", err)
	}
	if _, err := a.Records.Write(ctx, n.key, data, n.revision, 0); err != nil {
		return fmt.Errorf("write since when a call waits: %w", err)
	}
	return nil
}
