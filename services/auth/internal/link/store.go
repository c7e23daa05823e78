package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// store reads and writes the records themselves.
type store struct {
	conn *nats.Conn
	kv   jetstream.KeyValue
}

// versioned is a record with its revision in the bucket. record is nil where
// there is none (any more).
type versioned struct {
	record   *Record
	revision uint64
}

// noMessage is JetStream's error code for a subject without a message.
const noMessage = 10037

// read asks the stream's leader. The bucket's own Get may be answered by any
// copy of the stream, and one that lags would bring a revoked link back to life.
func (s store) read(ctx context.Context, id string) (versioned, error) {
	request, err := json.Marshal(map[string]string{"last_by_subj": s.subject(id)})
	if err != nil {
		return versioned{}, err
	}
	reply, err := s.conn.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+s.stream(), request)
	if err != nil {
		return versioned{}, fmt.Errorf("read link %s: %w", id, err)
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
		return versioned{}, fmt.Errorf("read link %s: %w", id, err)
	}
	if answer.Error != nil {
		if answer.Error.ErrorCode == noMessage {
			return versioned{}, nil
		}
		return versioned{}, fmt.Errorf("read link %s: %w", id, answer.Error)
	}
	if removed(answer.Message.Header) {
		return versioned{revision: answer.Message.Sequence}, nil
	}
	record, err := decode(id, answer.Message.Data)
	return versioned{record: record, revision: answer.Message.Sequence}, err
}

// removed reports whether a message is the mark of a removed key.
func removed(header []byte) bool {
	if len(header) == 0 {
		return false
	}
	h, err := nats.DecodeHeadersMsg(header)
	return err == nil && (h.Get("KV-Operation") != "" || h.Get(jetstream.MarkerReasonHeader) != "")
}

// errConflict: somebody else wrote first.
var errConflict = errors.New("the link was changed meanwhile")

// create writes a record that must not exist yet.
func (s store) create(ctx context.Context, r Record) (versioned, error) {
	return s.write(r, func(data []byte) (uint64, error) { return s.kv.Create(ctx, r.ID, data) })
}

// update writes over exactly the revision that was read.
func (s store) update(ctx context.Context, r Record, revision uint64) (versioned, error) {
	return s.write(r, func(data []byte) (uint64, error) { return s.kv.Update(ctx, r.ID, data, revision) })
}

func (s store) write(r Record, put func([]byte) (uint64, error)) (versioned, error) {
	data, err := encode(r)
	if err != nil {
		return versioned{}, err
	}
	revision, err := put(data)
	if bus.IsConflict(err) {
		return versioned{}, errConflict
	}
	if err != nil {
		return versioned{}, fmt.Errorf("write link %s: %w", r.ID, err)
	}
	return versioned{record: &r, revision: revision}, nil
}

func (s store) stream() string            { return "KV_" + s.kv.Bucket() }
func (s store) subject(key string) string { return "$KV." + s.kv.Bucket() + "." + key }
