package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Folder is a [Store] of files that only their owner can read (0600, the folder
// 0700), one per server. Processes that share it take turns, on Unix.
type Folder string

func (f Folder) file(server string) string {
	sum := sha256.Sum256([]byte(server))
	return filepath.Join(string(f), hex.EncodeToString(sum[:12])+".json")
}

// Load implements [Store].
func (f Folder) Load(_ context.Context, server string) ([]byte, error) {
	data, err := os.ReadFile(f.file(server))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = own(f.file(server))
	}
	return data, err
}

// own takes from everybody else what a copy or a restored backup may have given
// them.
func own(file string) error {
	about, err := os.Stat(file)
	if err == nil && about.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(file, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process may have replaced it
		return fmt.Errorf("keeping the sign-in from others: %w", err)
	}
	return nil
}

// Forget removes a server's record.
func (f Folder) Forget(server string) error {
	err := os.Remove(f.file(server))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Update implements [Store].
func (f Folder) Update(ctx context.Context, server string, change func([]byte) ([]byte, error)) error {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return err
	}
	unlock, err := f.lock(ctx, f.file(server)+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	old, err := f.Load(ctx, server)
	if err != nil {
		return err
	}
	data, err := change(old)
	if err != nil || data == nil {
		return err
	}
	return replace(f.file(server), data)
}

// replace writes a file whole or not at all. os.CreateTemp makes it 0600.
func replace(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// lock takes turns with other processes.
func (f Folder) lock(ctx context.Context, path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		free, err := tryLock(file)
		if err != nil {
			_ = file.Close()
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		if free {
			return func() { _ = file.Close() }, nil // which gives the lock back
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			_ = file.Close()
			return nil, ctx.Err()
		}
	}
}
