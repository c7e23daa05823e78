//go:build unix

package spool

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockDir takes the folder until the file is closed or the process ends.
func lockDir(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(errors.New("another process uses this folder"), file.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("lock: %w", err), file.Close())
	}
	return file, nil
}
