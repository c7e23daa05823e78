package bus

import (
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// IsConflict reports whether a create or an update of a key was refused because
// another revision is there: somebody else was faster. NATS says it in several
// ways, and replicated streams have a code of their own for it.
func IsConflict(err error) bool {
	if errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		return true
	}
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}
