package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/comporta-mcp/comporta/services/docs/internal/reader"
)

// fetched is the name under which a clone keeps the commit that was asked for.
const fetched = plumbing.ReferenceName("refs/comporta/fetched")

func (f *Fetcher) fromGit(ctx context.Context, s Source) (Pages, error) {
	repository, problem := f.clone(ctx, s)
	if repository == nil {
		return Pages{}, problem
	}
	ref, err := repository.Reference(fetched, true)
	if err != nil {
		if problem == nil {
			problem = fmt.Errorf("%s was never fetched: %w", s.Git, err)
		}
		return Pages{}, problem
	}
	commit, err := repository.CommitObject(ref.Hash())
	if err != nil {
		return Pages{}, errors.Join(problem, err)
	}
	files, err := commit.Tree()
	if err != nil {
		return Pages{}, errors.Join(problem, err)
	}
	p, err := s.read(ctx, gitTree{files})
	if err != nil {
		return Pages{}, errors.Join(problem, fmt.Errorf("%s at %s: %w", s.Git, ref.Hash(), err))
	}
	return p, problem
}

func (f *Fetcher) cloneDir(s Source) string {
	sum := sha256.Sum256([]byte(s.Git + "\n" + s.Ref))
	return filepath.Join(f.Cache, hex.EncodeToString(sum[:8])+".git")
}

// clone opens the copy of a repository and brings it up to date. A repository
// together with an error is the older copy.
func (f *Fetcher) clone(ctx context.Context, s Source) (*git.Repository, error) {
	dir := f.cloneDir(s)
	repository, err := git.PlainOpen(dir)
	if errors.Is(err, git.ErrRepositoryNotExists) && !f.Offline {
		if err := os.RemoveAll(dir); err != nil { // the rest of an interrupted clone
			return nil, err
		}
		repository, err = git.PlainInit(dir, true)
	}
	if err != nil {
		return nil, fmt.Errorf("the copy of %s: %w", s.Git, err)
	}
	if f.Offline {
		return repository, nil
	}
	problem, done := f.asked[dir]
	if !done {
		if problem = f.reach(ctx, s); problem == nil {
			problem = update(ctx, repository, s)
		}
		if problem != nil {
			problem = fmt.Errorf("fetch %s: %w", s.Git, problem)
		}
		if f.asked == nil {
			f.asked = map[string]error{}
		}
		f.asked[dir] = problem
	}
	return repository, problem
}

// update fetches the one commit that is wanted, without its history.
func update(ctx context.Context, repository *git.Repository, s Source) error {
	remote := git.NewRemote(repository.Storer, &config.RemoteConfig{Name: "origin", URLs: []string{s.Git}})
	wanted := []string{"HEAD"}
	if s.Ref != "" {
		wanted = []string{"refs/heads/" + s.Ref, "refs/tags/" + s.Ref}
	}
	var last error
	for _, ref := range wanted {
		last = remote.FetchContext(ctx, &git.FetchOptions{
			RefSpecs: []config.RefSpec{config.RefSpec("+" + ref + ":" + fetched.String())},
			Depth:    1, Tags: git.NoTags, Force: true,
		})
		if last == nil || errors.Is(last, git.NoErrAlreadyUpToDate) {
			return nil
		}
	}
	return last
}

// gitTree is the files of a commit.
type gitTree struct{ *object.Tree }

func (t gitTree) Each(ctx context.Context, folder string, want func(string) bool, yield func(string, []byte) error) error {
	return t.Files().ForEach(func(f *object.File) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name := f.Name
		if folder != "" {
			below, inside := strings.CutPrefix(name, strings.TrimSuffix(folder, "/")+"/")
			if !inside {
				return nil
			}
			name = below
		}
		if !f.Mode.IsFile() || f.Size > reader.MaxFile || !want(name) {
			return nil
		}
		content, err := f.Reader()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		defer content.Close()
		data, err := io.ReadAll(content)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		return yield(name, data)
	})
}
