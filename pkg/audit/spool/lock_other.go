//go:build !unix

package spool

import "os"

// lockDir only makes the file: this system has no lock that ends with its
// process. Two processes on one folder are the operator's mistake here.
func lockDir(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}
