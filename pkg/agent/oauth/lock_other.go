//go:build !unix

package oauth

import "os"

// tryLock takes no turns here: the session's own lock still does in one process.
func tryLock(*os.File) (bool, error) { return true, nil }
