package spool

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// recover reads the folder as the process before left it.
func (s *Spool) recover() (*Found, error) {
	st, readable, err := openState(s.dir)
	if err != nil {
		return nil, err
	}
	s.state = st
	was := st.current
	s.last, s.note = was.Last, was.Note
	found := &Found{Note: was.Note, Whole: readable && (was.Clean || was.Boot == s.boot || was.Generation == 0)}
	if !readable {
		found.Damage = append(found.Damage, "the state file is damaged; messages that had arrived may be sent again")
	}
	paths, err := filepath.Glob(filepath.Join(s.dir, "*.seg"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	for i, path := range paths {
		if err := s.recoverSegment(path, i == len(paths)-1, was, found); err != nil {
			return nil, err
		}
	}
	for _, seg := range s.segments {
		found.Waiting += seg.open
	}
	if found.Waiting > 0 {
		s.poke()
	}
	return found, nil
}

func (s *Spool) recoverSegment(path string, newest bool, was state, found *Found) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	seg := &segment{file: file, path: path}
	for rest := data; len(rest) > 0; {
		index, message, n := unframe(rest)
		if n == 0 {
			break
		}
		s.remember(seg, index, message, was, found)
		seg.size += int64(n)
		rest = rest[n:]
	}
	if torn := int64(len(data)) - seg.size; torn > 0 {
		found.Damage = append(found.Damage, fmt.Sprintf("%s: the last %d bytes are no whole message", filepath.Base(path), torn))
		if err := cutTail(seg, data, newest); err != nil {
			return err
		}
		// The process before died while it appended: nobody was told that the
		// message is safe. Anywhere else it is damage.
		found.Whole = found.Whole && newest
	}
	s.size += seg.size
	s.segments = append(s.segments, seg)
	return nil
}

// cutTail takes unreadable bytes out of a segment; those that no dying process
// explains are kept beside it.
func cutTail(seg *segment, data []byte, newest bool) error {
	if !newest {
		if err := os.WriteFile(seg.path+".damaged", data[seg.size:], 0o600); err != nil {
			return err
		}
	}
	return seg.file.Truncate(seg.size)
}

func (s *Spool) remember(seg *segment, index uint64, message []byte, was state, found *Found) {
	if n := len(s.entries); n > 0 && index <= s.entries[n-1].index {
		found.Whole = false
		found.Damage = append(found.Damage, fmt.Sprintf("message %d comes after message %d", index, s.entries[n-1].index))
		index = s.entries[n-1].index + 1
	}
	e := entry{index: index, seg: seg, offset: seg.size + headerSize, length: len(message)}
	if index <= was.Arrived {
		e.status = arrived
	} else {
		seg.open++
	}
	if index > was.Last {
		found.Since = append(found.Since, slices.Clone(message))
	}
	s.last = max(s.last, index)
	s.entries = append(s.entries, e)
}
