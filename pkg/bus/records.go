package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Records reads and writes single keys of a bucket for owners to whom an old
// answer would be a fault: reads ask the stream's leader, where a bucket's own
// Get may be answered by a copy that lags, and writes may end by themselves.
type Records struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	bucket string
}

// Stored is one key as it is. Value is nil where there is nothing (any more);
// Revision is then that of the mark it left, or 0.
type Stored struct {
	Value    []byte
	Revision uint64
}

// Records gives a bucket of the list.
func (b *Bus) Records(name string) (Records, error) {
	if !slices.ContainsFunc(Buckets(), func(c jetstream.KeyValueConfig) bool { return c.Bucket == name }) {
		return Records{}, fmt.Errorf("bucket %s: %w", name, jetstream.ErrBucketNotFound)
	}
	return NewRecords(b.Conn, b.JS, name), nil
}

// NewRecords is Records for who has the parts of a connection.
func NewRecords(conn *nats.Conn, js jetstream.JetStream, bucket string) Records {
	return Records{conn: conn, js: js, bucket: bucket}
}

// noMessage is JetStream's error code for a subject without a message.
const noMessage = 10037

// Read asks the stream's leader.
func (r Records) Read(ctx context.Context, key string) (Stored, error) {
	request, err := json.Marshal(map[string]string{"last_by_subj": r.subject(key)})
	if err != nil {
		return Stored{}, err
	}
	reply, err := r.conn.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET.KV_"+r.bucket, request)
	if err != nil {
		return Stored{}, fmt.Errorf("bucket %s: %w", r.bucket, err)
	}
	var answer struct {
		Error   *jetstream.APIError `json:"error"`
		Message struct {
			Sequence uint64 `json:"seq"`
			Header   []byte `json:"hdrs"`
			Data     []byte `json:"data"`
		} `json:"message"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return Stored{}, fmt.Errorf("bucket %s: %w", r.bucket, err)
	}
	if answer.Error != nil {
		if answer.Error.ErrorCode == noMessage {
			return Stored{}, nil
		}
		return Stored{}, fmt.Errorf("bucket %s: %w", r.bucket, answer.Error)
	}
	if removed(answer.Message.Header) {
		return Stored{Revision: answer.Message.Sequence}, nil
	}
	return Stored{Value: answer.Message.Data, Revision: answer.Message.Sequence}, nil
}

// removed reports whether a message is the mark of a removed key.
func removed(header []byte) bool {
	if len(header) == 0 {
		return false
	}
	h, err := nats.DecodeHeadersMsg(header)
	return err == nil && (h.Get("KV-Operation") != "" || h.Get(jetstream.MarkerReasonHeader) != "")
}

// Write writes over exactly this revision, which is 0 for a key that was never
// there; IsConflict tells when somebody else was faster. ttl, at least 1 s where
// it is not 0, is after how long the key goes by itself: it needs a bucket with
// LimitMarkerTTL.
func (r Records) Write(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	options := []jetstream.PublishOpt{jetstream.WithExpectLastSequencePerSubject(revision)}
	if ttl > 0 {
		options = append(options, jetstream.WithMsgTTL(max(ttl, time.Second)))
	}
	ack, err := r.js.Publish(ctx, r.subject(key), value, options...)
	if err != nil {
		return 0, fmt.Errorf("bucket %s: %w", r.bucket, err)
	}
	return ack.Sequence, nil
}

func (r Records) subject(key string) string { return "$KV." + r.bucket + "." + key }
