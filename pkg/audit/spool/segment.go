package spool

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

const (
	headerSize  = 16
	maxMessage  = 1 << 20 // a length beyond it is damage, not a message
	segmentName = "%020d.seg"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// segment is one file of entries.
type segment struct {
	file *os.File
	path string
	size int64
	open int // entries that have not arrived
}

func frame(index uint64, message []byte) []byte {
	framed := make([]byte, headerSize, headerSize+len(message))
	binary.LittleEndian.PutUint32(framed, uint32(len(message)))
	binary.LittleEndian.PutUint64(framed[8:], index)
	framed = append(framed, message...)
	binary.LittleEndian.PutUint32(framed[4:], crc32.Checksum(framed[8:], castagnoli))
	return framed
}

// unframe reads the entry at the start of data; n is 0 where no whole one stands.
func unframe(data []byte) (index uint64, message []byte, n int) {
	if len(data) < headerSize {
		return 0, nil, 0
	}
	length := int(binary.LittleEndian.Uint32(data))
	if length > maxMessage || len(data) < headerSize+length {
		return 0, nil, 0
	}
	n = headerSize + length
	if crc32.Checksum(data[8:n], castagnoli) != binary.LittleEndian.Uint32(data[4:]) {
		return 0, nil, 0
	}
	return binary.LittleEndian.Uint64(data[8:]), data[headerSize:n], n
}

// write adds an entry, or nothing of it.
func (g *segment) write(framed []byte) error {
	if _, err := g.file.WriteAt(framed, g.size); err != nil {
		// Half an entry must not stay in front of the next one. If even that fails,
		// the next write begins at the same place and Open cuts the rest.
		_ = g.file.Truncate(g.size)
		return fmt.Errorf("write to the spool: %w", err)
	}
	g.size += int64(len(framed))
	return nil
}

// active gives the segment to write to, beginning a new one when the last is large.
func (s *Spool) active() (*segment, error) {
	if n := len(s.segments); n > 0 && s.segments[n-1].size < s.segSize {
		return s.segments[n-1], nil
	}
	path := filepath.Join(s.dir, fmt.Sprintf(segmentName, s.last+1))
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("new segment of the spool: %w", err)
	}
	seg := &segment{file: file, path: path}
	s.segments = append(s.segments, seg)
	return seg, nil
}

// worthEmptying is the size from which the segment that is written to is emptied
// once all of it has arrived; below, the saving is not worth the call.
const worthEmptying = 16 << 10

// free drops what has arrived: from memory, and from the disk by whole segments.
// The state must have been saved before.
func (s *Spool) free() error {
	gone := 0
	for gone < len(s.entries) && s.entries[gone].status == arrived {
		gone++
	}
	s.entries = s.entries[gone:]
	s.cursor = max(0, s.cursor-gone)
	if len(s.entries) == 0 {
		s.entries = nil // so that the memory of a long outage is given back
	}
	for len(s.segments) > 1 && s.segments[0].open == 0 {
		seg := s.segments[0]
		s.size -= seg.size
		s.segments = s.segments[1:]
		seg.file.Close() // it was only read from by now
		if err := os.Remove(seg.path); err != nil {
			return fmt.Errorf("free the spool: %w", err)
		}
	}
	if len(s.segments) == 1 && s.segments[0].open == 0 && s.segments[0].size >= min(worthEmptying, s.segSize/2) {
		seg := s.segments[0]
		if err := seg.file.Truncate(0); err != nil {
			return fmt.Errorf("free the spool: %w", err)
		}
		s.size -= seg.size
		seg.size = 0
	}
	return nil
}
