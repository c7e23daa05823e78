package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/memory"
)

// ErrUnreachable says that a repository's host was not there to be asked.
var ErrUnreachable = errors.New("the host cannot be reached")

// patience is how long a host may take to answer the first, small request of a
// round. A clone may take minutes, but not to begin.
const patience = 10 * time.Second

// reach asks a source's host for something small. Each host is asked once a round:
// without a network eight repositories would otherwise wait one after the other.
func (f *Fetcher) reach(ctx context.Context, s Source) error {
	u, err := url.Parse(s.Git)
	if err != nil || u.Host == "" { // a folder
		return nil
	}
	problem, known := f.hosts[u.Host]
	if !known {
		problem = f.contact(ctx, s.Git)
		if f.hosts == nil {
			f.hosts = map[string]error{}
		}
		f.hosts[u.Host] = problem
	}
	if problem != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, problem)
	}
	return nil
}

// contact gives an error where nobody answers. What the answer says is the
// business of who fetches.
func (f *Fetcher) contact(ctx context.Context, repository string) error {
	short, done := context.WithTimeout(ctx, cmp.Or(f.Patience, patience))
	defer done()
	remote := git.NewRemote(memory.NewStorage(), &config.RemoteConfig{Name: "origin", URLs: []string{repository}})
	_, err := remote.ListContext(short, &git.ListOptions{})
	if wrapped, ok := errors.AsType[*plumbing.UnexpectedError](err); ok {
		err = wrapped.Err // it does not unwrap itself
	}
	if _, ok := errors.AsType[net.Error](err); !ok && short.Err() == nil {
		return nil
	}
	if address, ok := errors.AsType[*url.Error](err); ok {
		return address.Err // it is the same for all repositories of the host
	}
	return err
}
