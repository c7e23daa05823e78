package audit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/audit/spool"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

const (
	batchSize  = 256             // records on their way at once
	ackTimeout = 5 * time.Second // for one record, from the publisher's side
	// intentTimeout bounds how long a write waits for its intent to be durable. It
	// spans a change of leader; a call has 25 s or more in all.
	intentTimeout = 3 * time.Second

	firstPause = 100 * time.Millisecond // between tries to publish
	lastPause  = 5 * time.Second
)

// append gives r its place in the chain and the spool.
func (l *Log) append(r *auditv1.Record, held bool) (uint64, []byte, error) {
	var linkErr error
	var before chain
	index, message, err := l.spool.Append(held, func() []byte {
		before = *l.chain
		message, err := l.chain.link(r)
		linkErr = err
		return message
	}, func() { *l.chain = before })
	if err = errors.Join(linkErr, err); err != nil {
		l.metrics.lost.WithLabelValues(kindName(r.GetKind())).Inc()
		l.log.Error("an audit record could not be kept", "error", err, "call_id", r.GetCallId(), "kind", kindName(r.GetKind()))
		return 0, nil, err
	}
	l.metrics.records.WithLabelValues(kindName(r.GetKind())).Inc()
	return index, message, nil
}

// keep puts a record into the spool, to be published in the background.
func (l *Log) keep(r *auditv1.Record) error {
	_, _, err := l.append(r, false)
	return err
}

// durable puts a record into the spool and waits until the stream has it. On an
// error it goes on waiting in the spool, so that the chain has no gap.
func (l *Log) durable(ctx context.Context, r *auditv1.Record) error {
	index, message, err := l.append(r, true)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, intentTimeout)
	defer cancel()
	_, err = l.js.PublishMsg(ctx, envelope(r, message), jetstream.WithRetryWait(200*time.Millisecond), jetstream.WithRetryAttempts(20))
	if err != nil {
		l.spool.LetGo(index)
		return fmt.Errorf("publish the intent: %w", err)
	}
	l.anchor.arrived(index, message)
	l.spool.Arrived(index)
	return nil
}

// publish carries what waits in the spool to the stream until ctx ends.
func (l *Log) publish(ctx context.Context) {
	pause := firstPause
	for {
		sent, err := l.publishBatch(ctx)
		if err := l.spool.Save(l.chain.note); err != nil {
			l.log.Error("the audit spool cannot be tidied up", "error", err)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if pause == firstPause {
				l.log.Warn("audit records wait for NATS", "error", err, "records", l.spool.Waiting())
			}
			sleep(ctx, pause)
			pause = min(2*pause, lastPause)
			continue
		case sent == batchSize:
			continue
		}
		pause = firstPause
		select {
		case <-ctx.Done():
		case <-l.spool.Wake():
		}
	}
}

// publishBatch sends some records and waits for their acknowledgements.
func (l *Log) publishBatch(ctx context.Context) (int, error) {
	messages, err := l.spool.Take(batchSize)
	futures := make([]jetstream.PubAckFuture, len(messages))
	for i, m := range messages {
		future, sendErr := l.send(m)
		if sendErr != nil {
			err = errors.Join(err, sendErr)
			break
		}
		futures[i] = future
	}
	for i, m := range messages {
		if ackErr := acknowledged(ctx, futures[i]); ackErr != nil {
			l.spool.LetGo(m.Index)
			if err == nil {
				err = ackErr
			}
			continue
		}
		l.anchor.arrived(m.Index, m.Data)
		l.spool.Arrived(m.Index)
	}
	return len(messages), err
}

var errNotSent = errors.New("not sent")

func acknowledged(ctx context.Context, future jetstream.PubAckFuture) error {
	if future == nil {
		return errNotSent
	}
	select {
	case <-future.Ok():
		return nil
	case err := <-future.Err():
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Log) send(m spool.Message) (jetstream.PubAckFuture, error) {
	var r auditv1.Record
	if err := proto.Unmarshal(m.Data, &r); err != nil {
		// Its checksum was right, so another version wrote it like that. It must not
		// be lost, nor stop what comes after it.
		sum := sha256.Sum256(m.Data)
		r = auditv1.Record{CallId: hex.EncodeToString(sum[:])}
	}
	return l.js.PublishMsgAsync(envelope(&r, m.Data), jetstream.WithRetryAttempts(2))
}

// envelope addresses a record.
func envelope(r *auditv1.Record, message []byte) *nats.Msg {
	msg := nats.NewMsg(Subject(r.GetLinkId()))
	msg.Data = message
	msg.Header.Set(jetstream.MsgIDHeader, messageID(r))
	return msg
}

// messageID: a call has one record of each kind, but a person may do several
// things about one call.
func messageID(r *auditv1.Record) string {
	id := r.GetCallId() + "." + kindName(r.GetKind())
	if r.GetKind() == auditv1.Kind_KIND_PERSON {
		id += fmt.Sprintf(".%s.%d", r.GetWriter(), r.GetSequence())
	}
	return id
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Anonymous is the last part of the subject of records without a link.
const Anonymous = "anonymous"

func subjectToken(linkID string) string {
	if !plain.MatchString(linkID) {
		return Anonymous
	}
	return linkID
}

// drain waits until the spool is empty or ctx ends.
func (l *Log) drain(ctx context.Context) {
	for l.spool.Waiting() > 0 && ctx.Err() == nil && l.js.Conn().IsConnected() {
		sleep(ctx, 10*time.Millisecond)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func kindName(k auditv1.Kind) string {
	switch k {
	case auditv1.Kind_KIND_INTENT:
		return "intent"
	case auditv1.Kind_KIND_OUTCOME:
		return "outcome"
	case auditv1.Kind_KIND_REFUSAL:
		return "refusal"
	case auditv1.Kind_KIND_OPERATION:
		return "operation"
	case auditv1.Kind_KIND_PERSON:
		return "person"
	default:
		return "unspecified"
	}
}
