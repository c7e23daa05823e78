package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Folder keeps the blob as a file.
type Folder struct{ Dir string }

var _ Store = Folder{}

const fileName = "pages.json.gz"

func (f Folder) file() string { return filepath.Join(f.Dir, fileName) }

// Load reads the file.
func (f Folder) Load(ctx context.Context) ([]byte, string, error) {
	revision, err := f.Revision(ctx)
	if err != nil {
		return nil, "", err
	}
	data, err := os.ReadFile(f.file())
	return data, revision, err
}

// Revision is the file's time and size.
func (f Folder) Revision(context.Context) (string, error) {
	info, err := os.Stat(f.file())
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNone
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d-%d", info.ModTime().UnixNano(), info.Size()), nil
}

// abandoned is the age at which a half-written file is of a writer that was killed:
// who writes takes seconds.
const abandoned = time.Hour

// sweep removes what killed writers left. A file that cannot be removed does no harm.
func (f Folder) sweep() {
	left, err := filepath.Glob(filepath.Join(f.Dir, fileName+".*"))
	if err != nil {
		return
	}
	for _, file := range left {
		if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > abandoned {
			os.Remove(file)
		}
	}
}

// Save writes a new file beside the old one and renames it.
func (f Folder) Save(ctx context.Context, data []byte) (string, error) {
	if err := os.MkdirAll(f.Dir, 0o750); err != nil {
		return "", err
	}
	f.sweep()
	temp, err := os.CreateTemp(f.Dir, fileName+".*")
	if err != nil {
		return "", err
	}
	defer os.Remove(temp.Name()) // after the rename there is nothing to remove
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return "", fmt.Errorf("write %s: %w", temp.Name(), err)
	}
	if err := os.Rename(temp.Name(), f.file()); err != nil {
		return "", err
	}
	return f.Revision(ctx)
}
