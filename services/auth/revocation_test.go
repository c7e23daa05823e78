package auth

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
)

// TestARevokedLinkIsRefusedByEveryReplica is the bug bank's B18.
func TestARevokedLinkIsRefusedByEveryReplica(t *testing.T) {
	w := newWorld(t)
	replicas := []*identity.AuthClient{w.client(w.start(nil)), w.client(w.start(nil))}
	who, err := ask(t, replicas[0], goodToken)
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		name  string
		state link.State
		may   bool
	}{
		{"paused", link.Paused, false},
		{"let go on", link.Active, true},
		{"revoked", link.Revoked, false},
	}
	links := w.links()
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			for _, replica := range replicas { // so that each holds a copy in memory
				_, _ = ask(t, replica, goodToken)
			}
			if err := links.SetState(t.Context(), who.Link.ID, step.state); err != nil {
				t.Fatal(err)
			}
			for i, replica := range replicas {
				eventually(t, link.MaxLate, func() string {
					_, err := ask(t, replica, goodToken)
					switch {
					case step.may && err == nil, step.state == link.Paused && isRefused(err, identity.RefusedPaused),
						step.state == link.Revoked && isRefused(err, identity.RefusedToken):
						return ""
					}
					return fmt.Sprintf("replica %d answers %v", i+1, err)
				})
			}
		})
	}
	if err := links.SetState(t.Context(), who.Link.ID, link.Active); err == nil {
		t.Error("a revoked link was let go on")
	}
	late := w.client(w.start(nil)) // never saw the link before
	if _, err := ask(t, late, goodToken); !isRefused(err, identity.RefusedToken) {
		t.Errorf("a replica that starts later answers %v", err)
	}
}

func TestTheVersionOfALinkGrowsWithItsState(t *testing.T) {
	w := newWorld(t)
	client := w.client(w.start(nil))
	before, err := ask(t, client, goodToken)
	if err != nil {
		t.Fatal(err)
	}
	links := w.links()
	for _, state := range []link.State{link.Paused, link.Active} {
		if err := links.SetState(t.Context(), before.Link.ID, state); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, link.MaxLate, func() string {
		after, err := ask(t, client, goodToken)
		if err != nil || after.Link.Version != before.Link.Version+2 {
			return fmt.Sprintf("the link is %+v (%v), want two versions later than %d", after, err, before.Link.Version)
		}
		return ""
	})
}

func TestWithoutNATSNobodyIsSureAndWithItAllRecovers(t *testing.T) {
	w := newWorld(t)
	client := w.client(w.start(nil))
	who, err := ask(t, client, goodToken)
	if err != nil {
		t.Fatal(err)
	}
	w.stopNATS()
	eventually(t, 2*link.MaxLate, func() string {
		_, err := ask(t, client, goodToken)
		if _, refused := errors.AsType[*identity.Refused](err); err == nil || refused {
			return fmt.Sprintf("the answer is still %v", err)
		}
		return ""
	})
	if _, err := client.Seal(t.Context(), "op", who.Link.ID, "Token x", nil); err != nil {
		t.Errorf("sealing needs no NATS, but: %v", err)
	}
	w.startNATS()
	eventually(t, 15*time.Second, func() string {
		if _, err := ask(t, client, goodToken); err != nil {
			return fmt.Sprintf("the answer is still %v", err)
		}
		return ""
	})
	// The new watch works: a revocation comes through it.
	if err := w.links().SetState(t.Context(), who.Link.ID, link.Revoked); err != nil {
		t.Fatal(err)
	}
	eventually(t, link.MaxLate, func() string {
		if _, err := ask(t, client, goodToken); !isRefused(err, identity.RefusedToken) {
			return fmt.Sprintf("the answer is still %v", err)
		}
		return ""
	})
}

// TestARunningServiceSurvivesTheLossOfAnyOneReplica kills one of two replicas
// under calls, starts it again at the same address, and does the same to the other.
func TestARunningServiceSurvivesTheLossOfAnyOneReplica(t *testing.T) {
	w := newWorld(t)
	first, second := w.start(nil), w.start(nil)
	client := w.client(first, second)
	if _, err := ask(t, client, goodToken); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	failures := make(chan error, 1)
	for range 4 {
		go func() {
			for ctx.Err() == nil {
				_, err := client.Authenticate(ctx, identity.Credential{Scheme: identity.Token, Value: goodToken}, "build", "")
				if err != nil && ctx.Err() == nil {
					select {
					case failures <- err:
					default:
					}
				}
			}
		}()
	}
	for _, r := range []*replica{first, second} {
		address := r.GRPC
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		again := w.start(func(c *Config) { c.GRPCListen = address })
		single := w.client(again)
		if _, err := ask(t, single, goodToken); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond) // calls go on over both, the new one too
	}
	cancel()
	select {
	case err := <-failures:
		t.Errorf("a call failed: %v", err)
	default:
	}
}
