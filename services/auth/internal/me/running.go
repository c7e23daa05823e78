package me

import (
	"context"
	"errors"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/lru"
)

// Operations keeps operations; *operation.Store does.
type Operations interface {
	Keys(ctx context.Context, link string) ([]string, error)
	Load(ctx context.Context, key string) (*operation.Record, error)
}

const (
	// maxLooked bounds the newest operations of a link that are looked at.
	maxLooked = 50
	// maxEnded bounds the keys of ended operations that are remembered.
	maxEnded = 20_000
	// parallelLooks bounds how many links, and records of each, are read at a time.
	parallelLooks = 4
)

// Running finds what links do now. An operation that has ended stays so, and is
// read once only.
type Running struct {
	operations Operations

	mu    sync.Mutex
	ended *lru.Map[string, struct{}]
}

// NewRunning makes a Running.
func NewRunning(o Operations) *Running {
	return &Running{operations: o, ended: lru.New[string, struct{}](maxEnded)}
}

// Of gives the operations of these links that have not ended, by link, the newest first.
func (n *Running) Of(ctx context.Context, links []string) (map[string][]*operationv1.Operation, error) {
	found := make([][]*operationv1.Operation, len(links))
	looking, ctx := errgroup.WithContext(ctx)
	looking.SetLimit(parallelLooks)
	for i, id := range links {
		looking.Go(func() (err error) {
			found[i], err = n.of(ctx, id)
			return err
		})
	}
	if err := looking.Wait(); err != nil {
		return nil, err
	}
	all := map[string][]*operationv1.Operation{}
	for i, id := range links {
		all[id] = found[i]
	}
	return all, nil
}

func (n *Running) of(ctx context.Context, id string) ([]*operationv1.Operation, error) {
	keys, err := n.operations.Keys(ctx, id)
	if err != nil {
		return nil, err
	}
	keys = slices.Clone(keys[max(0, len(keys)-maxLooked):])
	slices.Reverse(keys)
	keys = slices.DeleteFunc(keys, n.known)
	ops := make([]*operationv1.Operation, len(keys))
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(parallelLooks)
	for i, key := range keys {
		reading.Go(func() error {
			rec, err := n.operations.Load(ctx, key)
			switch {
			case errors.Is(err, record.ErrAbsent): // its 7 days ended just now
				return nil
			case err != nil:
				return err
			case operation.Ended(rec.Op):
				n.remember(key)
			default:
				ops[i] = rec.Op
			}
			return nil
		})
	}
	err = reading.Wait()
	return slices.DeleteFunc(ops, func(op *operationv1.Operation) bool { return op == nil }), err
}

func (n *Running) known(key string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, ended := n.ended.Get(key)
	return ended
}

func (n *Running) remember(key string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended.Put(key, struct{}{})
}
