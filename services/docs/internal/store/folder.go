package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// Save writes a new file beside the old one and renames it.
func (f Folder) Save(ctx context.Context, data []byte) (string, error) {
	if err := os.MkdirAll(f.Dir, 0o750); err != nil {
		return "", err
	}
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
