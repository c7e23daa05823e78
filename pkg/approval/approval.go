// Package approval owns what a person's yes to one call is bound to, so that
// auth, which writes it, and the worker, which acts on it, mean the same: the
// person, the link, the operation with all that it would send, and the resource
// as the person saw it. Who needs to be asked is package guard's; the page and
// the signature are auth's alone.
package approval

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// Life is how long a call waits for its person: issue 4, as an authorization
// request does (contract §4).
const Life = 10 * time.Minute

// Usable is how long after the yes the call may be sent: workers that were away for
// longer must not do what the person has forgotten by then.
const Usable = time.Hour

// Path is where auth's page for one operation stands, below the issuer.
func Path(link, operation string) string { return "/approve/" + link + "/" + operation }

// Expired reports whether nobody may answer any more, by the time in the record,
// which a host wrote. Auth goes by its own.
func Expired(op *operationv1.Operation, now time.Time) bool {
	return now.Sub(op.GetCreatedAt().AsTime()) >= Life
}

// CallDigest is the digest of what the operation would do: the tool, the company,
// and each argument, the sealed and the large ones too.
func CallDigest(op *operationv1.Operation) []byte {
	return digest("call 1", []byte(op.GetTool()), []byte(strconv.FormatInt(op.GetCompanyId(), 10)),
		op.GetArguments(), op.GetSealed(), op.GetPayloadDigest())
}

// Bound is what a yes is good for, beside what the approval itself says.
type Bound struct {
	Link, Operation, Area, Tool string
	CallDigest                  []byte
}

// Statement is what auth signs: the same yes for anything else has another.
func Statement(b Bound, a *operationv1.Approval) []byte {
	return digest("approval 1", []byte(b.Link), []byte(b.Operation), []byte(b.Area), []byte(b.Tool), b.CallDigest,
		[]byte(strconv.FormatInt(a.GetPersonId(), 10)),
		[]byte(a.GetAt().AsTime().UTC().Format(time.RFC3339Nano)), a.GetSeen())
}

// Seen is the digest of a resource as the platform shows it; nil stands for one
// that is not there.
func Seen(resource map[string]any) ([]byte, error) {
	text, err := json.Marshal(resource) // with sorted keys
	if err != nil {
		return nil, fmt.Errorf("encode the resource: %w", err)
	}
	return digest("resource 1", text), nil
}

// Resource is how the resource that a call changes is read: the tool and its
// arguments. ok is false where there is none yet, or no way to read it alone.
func Resource(t *catalog.Tool, find func(name string) (*catalog.Tool, bool), args map[string]any) (read *catalog.Tool, with map[string]any, ok bool) {
	read, ok = find(t.Retrieve)
	if t.Retrieve == "" || !ok || read.Binding == nil || read.List != nil {
		return nil, nil, false
	}
	with = map[string]any{}
	for _, p := range read.Binding.Params {
		if p.In != catalog.Path {
			continue
		}
		if with[p.Arg], ok = args[p.Arg]; !ok {
			return nil, nil, false
		}
	}
	return read, with, len(with) > 0
}

// digest hashes parts so that no two lists of parts run into the same text.
func digest(kind string, parts ...[]byte) []byte {
	h := sha256.New()
	for _, part := range append([][]byte{[]byte("comporta " + kind)}, parts...) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return h.Sum(nil)
}
