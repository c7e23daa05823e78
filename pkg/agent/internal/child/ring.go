package child

import (
	"bufio"
	"io"
	"strings"
	"sync"
)

// Bounds of what is kept of a child's stderr: enough to say why it died.
const (
	keptLines  = 20
	keptLength = 500 // characters of one line
)

// ring keeps the last lines of a text.
type ring struct {
	mu    sync.Mutex
	lines []string
}

// fill reads until the end. Longer lines are cut, never buffered whole.
func (r *ring) fill(from io.Reader) {
	for in := bufio.NewReaderSize(from, 4096); ; {
		head, err := in.ReadSlice('\n')
		line := string(head)
		for err == bufio.ErrBufferFull {
			_, err = in.ReadSlice('\n')
		}
		r.add(strings.TrimRight(line, "\r\n"))
		if err != nil {
			return
		}
	}
}

func (r *ring) add(line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	if runes := []rune(line); len(runes) > keptLength {
		line = string(runes[:keptLength]) + "…"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
	r.lines = r.lines[max(0, len(r.lines)-keptLines):]
}

func (r *ring) last() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.lines...)
}
