package spool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// state is what must be known beside the segments.
type state struct {
	Generation uint64          `json:"generation"`
	Arrived    uint64          `json:"arrived"` // every message up to this index has arrived
	Last       uint64          `json:"last"`    // index of the newest message when this was saved
	Clean      bool            `json:"clean"`   // saved by Close, flushed to the disk
	Boot       string          `json:"boot"`    // the machine's boot in which it was saved
	Note       json.RawMessage `json:"note,omitempty"`
}

// stateFile keeps two slots and writes them in turns, so that a torn write
// leaves the one before.
type stateFile struct {
	file    *os.File
	current state
}

const slotSize = 2048

func openState(dir string) (*stateFile, bool, error) {
	file, err := os.OpenFile(filepath.Join(dir, "state"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, err
	}
	f := &stateFile{file: file}
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, false, errors.Join(err, file.Close())
	}
	known := false
	for slot := range 2 {
		if st, ok := parseSlot(data, slot); ok && (!known || st.Generation > f.current.Generation) {
			f.current, known = st, true
		}
	}
	return f, known || len(data) == 0, nil
}

// parseSlot reads "crc json" of one slot.
func parseSlot(data []byte, slot int) (state, bool) {
	start := slot * slotSize
	if len(data) < start {
		return state{}, false
	}
	line, _, _ := bytes.Cut(data[start:min(len(data), start+slotSize)], []byte{'\n'})
	sum, body, ok := bytes.Cut(line, []byte{' '})
	if !ok || string(sum) != checksum(body) {
		return state{}, false
	}
	var st state
	return st, json.Unmarshal(body, &st) == nil
}

func checksum(body []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli)) }

func (f *stateFile) write(st state, flush bool) error {
	st.Generation = f.current.Generation + 1
	body, err := json.Marshal(st)
	if err != nil {
		return fmt.Errorf("state of the spool: %w", err)
	}
	line := append([]byte(checksum(body)+" "), body...)
	line = append(line, '\n')
	if len(line) > slotSize {
		return fmt.Errorf("state of the spool: the note is too large (%d bytes)", len(st.Note))
	}
	if _, err := f.file.WriteAt(line, int64(st.Generation%2)*slotSize); err != nil {
		return fmt.Errorf("state of the spool: %w", err)
	}
	f.current = st
	if flush {
		return f.file.Sync()
	}
	return nil
}

// save writes the state, then frees what it no longer needs.
func (s *Spool) save(closing bool) error {
	st := state{Arrived: s.last, Last: s.last, Clean: closing, Boot: s.boot, Note: s.note}
	for _, e := range s.entries {
		if e.status != arrived {
			st.Arrived = e.index - 1
			break
		}
	}
	if err := s.state.write(st, closing); err != nil {
		return err
	}
	return s.free()
}

// bootID tells one start of the machine from another; "" where nobody knows.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
