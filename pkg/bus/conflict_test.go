package bus

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

func TestEveryFormOfALostRaceIsAConflict(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"the key is there":                {jetstream.ErrKeyExists, true},
		"another revision is there":       {fmt.Errorf("put: %w", jetstream.ErrKeyRevisionMismatch), true},
		"the stream's own code":           {&jetstream.APIError{ErrorCode: jetstream.JSErrCodeStreamWrongLastSequence}, true},
		"the code of a replicated stream": {&jetstream.APIError{ErrorCode: jetstream.JSErrCodeStreamWrongLastSequenceConstant}, true},
		"another refusal of the server":   {&jetstream.APIError{ErrorCode: jetstream.JSErrCodeStreamNotFound}, false},
		"the key is not there":            {jetstream.ErrKeyNotFound, false},
		"no answer":                       {errors.New("nats: timeout"), false},
		"nothing went wrong":              {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := IsConflict(c.err); got != c.want {
				t.Errorf("IsConflict(%v) = %t", c.err, got)
			}
		})
	}
}
