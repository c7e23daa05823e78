package child

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup keeps the console's Ctrl-C from the child.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

func bindThread() (unbind func()) { return func() {} }

func terminateGroup(leader *os.Process) { _ = leader.Kill() }

func killGroup(leader *os.Process) { _ = leader.Kill() }
