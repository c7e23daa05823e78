package child

import (
	"os/exec"
	"runtime"
	"syscall"
)

// ownGroup gives the child a process group of its own and lets the kernel kill it
// when this process is killed.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// bindThread holds the thread that Pdeathsig is about until the child is gone.
// Waiting for a child occupies a thread anyway.
func bindThread() (unbind func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
