package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// Fetcher gets sources, each repository once: make a new one for every round.
type Fetcher struct {
	// Cache is the folder that keeps clones of git repositories.
	Cache string
	// Offline reads git sources from the cache alone.
	Offline bool
	// Patience is how long a host may take to answer at all; 0: 10 s.
	Patience time.Duration
	// BuiltIn is what a source with builtin: true has.
	BuiltIn func() ([]page.Page, error)

	hosts map[string]error // that this round has contacted, or failed to
	asked map[string]error // clones that this round has brought up to date, or failed to
}

// Fetch reads a source as it is now. Pages together with an error are from an
// older copy: the source itself could not be asked.
func (f *Fetcher) Fetch(ctx context.Context, s Source) (Pages, error) {
	switch {
	case s.BuiltIn:
		if f.BuiltIn == nil {
			return Pages{}, errors.New("this program has no pages built in")
		}
		return s.fromProgram(f.BuiltIn)
	case s.Path != "":
		return s.fromFolder(ctx)
	}
	return f.fromGit(ctx, s)
}

func (s Source) fromFolder(ctx context.Context) (Pages, error) {
	root, err := os.OpenRoot(s.Path) // links that lead out of it are not followed
	if err != nil {
		return Pages{}, err
	}
	defer root.Close()
	p, err := s.read(ctx, fsTree{root.FS()})
	if err != nil {
		return Pages{}, fmt.Errorf("folder %s: %w", s.Path, err)
	}
	return p, nil
}

func (s Source) fromProgram(pages func() ([]page.Page, error)) (Pages, error) {
	made, err := pages()
	if err != nil {
		return Pages{}, err
	}
	for i := range made {
		made[i].Weight = s.WeightOf(made[i].Path)
		made[i].Source = s.address(&made[i])
	}
	text, err := json.Marshal(made)
	if err != nil {
		return Pages{}, err
	}
	sum := sha256.Sum256(text)
	return Pages{Revision: hex.EncodeToString(sum[:12]), Pages: made}, nil
}
