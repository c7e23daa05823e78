package connect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Write puts servers into a client's file and gives the name of the copy of what
// was there; empty where there was no file. Of two runs at once one waits.
func (c Client) Write(file string, servers []Server, now time.Time) (backup string, err error) {
	target := linked(file)
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return "", err
	}
	part, err := reserve(target + ".part")
	if err != nil {
		return "", err
	}
	merged, backup, err := c.prepare(file, servers, now, part)
	if err == nil {
		_, err = part.Write(merged)
	}
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), target)
	}
	if err != nil {
		_ = os.Remove(part.Name())
	}
	return backup, err
}

// prepare gives the file's new text, after a copy of the old one was kept, and
// gives part the old one's mode.
func (c Client) prepare(file string, servers []Server, now time.Time, part *os.File) (merged []byte, backup string, err error) {
	text, err := os.ReadFile(file)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return nil, "", err
	}
	if merged, err = c.Merge(text, servers); err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	if fresh {
		return merged, "", nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, "", err
	}
	if backup, err = keep(file+now.Format(".20060102-150405"), text, info.Mode().Perm()); err != nil {
		return nil, "", fmt.Errorf("keeping a copy: %w", err)
	}
	return merged, backup, part.Chmod(info.Mode().Perm())
}

// keep writes a copy under a name that no other has: runs in one second must not
// write over each other's.
func keep(stem string, text []byte, mode fs.FileMode) (name string, err error) {
	for n := 1; ; n++ {
		name = stem + ".bak"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.bak", stem, n)
		}
		copied, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = copied.Write(text)
		return name, errors.Join(err, copied.Close())
	}
}

// How long another run may take, and how often it is looked for.
const (
	othersTurn = 5 * time.Second
	lookAgain  = 20 * time.Millisecond
)

// reserve creates the file that becomes the new one. While it is there no other
// run writes.
func reserve(part string) (*os.File, error) {
	for end := time.Now().Add(othersTurn); ; time.Sleep(lookAgain) {
		file, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("another run is writing the same file; if none is, remove %s and try again", part)
		}
	}
}

// linked is the file that a link leads to, there or not: a link stays a link.
func linked(file string) string {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		return target
	}
	target, err := os.Readlink(file)
	switch {
	case err != nil:
		return file
	case filepath.IsAbs(target):
		return target
	}
	return filepath.Join(filepath.Dir(file), target)
}
