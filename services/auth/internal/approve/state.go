package approve

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/pkg/bus"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
)

// maxUsed bounds the states of one call that can be used: a client that needs more
// shows its person the page again and again.
const maxUsed = 32

// State seals, for a client of this link that comes back from its person, which
// operation it asked about. bound is a digest of the call as the client sends it.
func (y Yes) State(link, id string, bound []byte) (string, error) {
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // never fails: crypto/rand
	plain, err := proto.Marshal(&authv1.AwaitedState{
		OperationId: id, Nonce: nonce, Until: timestamppb.New(y.Now().Add(approval.Usable)),
	})
	if err != nil {
		return "", fmt.Errorf("encode a state: %w", err)
	}
	sealed, err := y.Keys.Encrypt(plain, stateBinding(link, bound))
	if err != nil {
		return "", fmt.Errorf("seal a state: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// Resume opens a state, once, and gives the operation; "" where the state is of no use.
func (y Yes) Resume(ctx context.Context, link, state string, bound []byte) (id string, err error) {
	sealed, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil {
		return "", nil
	}
	plain, err := y.Keys.Decrypt(ctx, sealed, stateBinding(link, bound))
	if err != nil {
		return "", nil // whatever the reason, the client can call again without it
	}
	var said authv1.AwaitedState
	if proto.Unmarshal(plain, &said) != nil || !y.Now().Before(said.GetUntil().AsTime()) {
		return "", nil
	}
	good, err := y.use(ctx, link, &said)
	if err != nil || !good {
		return "", err
	}
	return said.GetOperationId(), nil
}

// use takes a state's one use; of two at once one gets it.
func (a Awaited) use(ctx context.Context, link string, said *authv1.AwaitedState) (bool, error) {
	for {
		n, err := a.read(ctx, link, said.GetOperationId())
		if err != nil {
			return false, err
		}
		used := slices.ContainsFunc(n.call.GetUsed(), func(nonce []byte) bool { return bytes.Equal(nonce, said.GetNonce()) })
		if !n.known || used || len(n.call.GetUsed()) >= maxUsed {
			return false, nil
		}
		n.call.Used = append(n.call.Used, said.GetNonce())
		if err := a.write(ctx, n); !bus.IsConflict(err) {
			return err == nil, err
		}
	}
}

func stateBinding(link string, bound []byte) []byte {
	return fmt.Appendf(nil, "comporta request state 1\n%s\n%x", link, bound)
}

// until is when a call that waits does no more, by auth's own clock.
func until(call *authv1.Awaited) time.Time { return call.GetAskedAt().AsTime().Add(approval.Life) }
