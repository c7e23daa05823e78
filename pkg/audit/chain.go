package audit

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/audit/spool"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// chain is the head of one writer's records.
type chain struct {
	Writer   string `json:"writer"`
	Sequence uint64 `json:"sequence"` // of the newest record
	Hash     []byte `json:"hash"`     // SHA-256 of the newest record's bytes
}

// resumeChain goes on where the spool's last process stopped, or begins a chain.
func resumeChain(name string, found *spool.Found) *chain {
	c := &chain{}
	if found.Note == nil || json.Unmarshal(found.Note, c) != nil || !found.Whole || nameOf(c.Writer) != name {
		// A name of its own for each chain: a sequence number must never stand twice.
		c = &chain{Writer: name + "/" + strings.ToLower(rand.Text()[:8])}
		if !found.Whole || found.Note != nil {
			return c
		}
	}
	for _, message := range found.Since {
		c.follow(message)
	}
	return c
}

// follow moves the head to a record that was appended before a crash.
func (c *chain) follow(message []byte) {
	var r auditv1.Record
	if proto.Unmarshal(message, &r) != nil {
		return
	}
	sum := sha256.Sum256(message)
	c.Writer, c.Sequence, c.Hash = r.GetWriter(), r.GetSequence(), sum[:]
}

// link gives r its place behind the head, makes it the head, and gives its bytes.
func (c *chain) link(r *auditv1.Record) ([]byte, error) {
	r.Writer, r.Sequence, r.Previous = c.Writer, c.Sequence+1, c.Hash
	message, err := proto.MarshalOptions{Deterministic: true}.Marshal(r)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(message)
	c.Sequence, c.Hash = r.GetSequence(), sum[:]
	return message, nil
}

// note is what the spool keeps of the chain.
func (c *chain) note() json.RawMessage {
	note, err := json.Marshal(c)
	if err != nil {
		return nil // a struct of plain fields always has a JSON form
	}
	return note
}

func nameOf(writer string) string {
	name, _, _ := strings.Cut(writer, "/")
	return name
}
