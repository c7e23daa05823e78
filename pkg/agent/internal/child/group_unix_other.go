//go:build unix && !linux

package child

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the child a process group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func bindThread() (unbind func()) { return func() {} }
