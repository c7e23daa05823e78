// Package spool owns an append-only queue on disk: messages wait in it until
// somebody says that they have arrived elsewhere. It survives the death of its
// process at any instruction (the kernel has what was written); after a power
// cut the last messages may be missing, and Open says so. What the messages
// mean is not its business.
//
// The folder holds segments named after their first index, each entry being
//
//	length uint32 | CRC-32C of the rest uint32 | index uint64 | message
//
// in little-endian, and a file "state" (state.go). A torn last entry is cut off.
package spool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// ErrFull means that the message would make the spool larger than it may be.
var ErrFull = errors.New("the spool is full")

// ErrClosed means that the spool was closed.
var ErrClosed = errors.New("the spool is closed")

// Options says where the spool lives and how large it may grow.
type Options struct {
	Dir      string
	MaxBytes int64 // of all segments together, as they lie on the disk
}

// Spool is one folder's queue. One process at a time has it open.
type Spool struct {
	dir     string
	max     int64
	segSize int64
	lock    *os.File
	state   *stateFile

	mu       sync.Mutex
	closed   bool
	segments []*segment // oldest first; the last one is written to
	entries  []entry    // oldest first, by ascending index
	last     uint64     // index of the newest message ever appended
	cursor   int        // no entry before it waits
	size     int64
	boot     string
	note     json.RawMessage // what the owner wants kept beside the messages
	wake     chan struct{}
}

// status is where a message is on its way.
type status uint8

const (
	waiting status = iota // for Take
	taken                 // by whoever appended or took it
	arrived
)

type entry struct {
	index  uint64
	seg    *segment
	offset int64 // of the message itself
	length int
	status status
}

// Found is what Open met on the disk.
type Found struct {
	Note json.RawMessage // as last saved; nil in a new folder
	// Since are the messages appended after Note was saved, oldest first. They
	// may have arrived already.
	Since [][]byte
	// Whole is false when messages may be missing after Note: the machine itself
	// went down, or something damaged the files.
	Whole   bool
	Waiting int      // messages that did not arrive yet
	Damage  []string // what was cut off or set aside, for the log
}

// Open opens the folder, making it if needed, and takes it for this process.
func Open(o Options) (*Spool, *Found, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("spool: %w", err)
	}
	lock, err := lockDir(filepath.Join(o.Dir, "lock"))
	if err != nil {
		return nil, nil, fmt.Errorf("spool %s: %w", o.Dir, err)
	}
	s := &Spool{
		dir: o.Dir, max: o.MaxBytes, segSize: min(max(o.MaxBytes/8, 16<<10), 4<<20),
		lock: lock, boot: bootID(), wake: make(chan struct{}, 1),
	}
	found, err := s.recover()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("spool %s: %w", o.Dir, err), s.release())
	}
	return s, found, nil
}

// Append adds a message. prepare makes it while the spool's order is settled, so
// that a message can depend on the one before it; when the append fails, its
// effects must be undone by the caller, who is told within the same lock through
// undo. A message that is held is not given to Take until it is let go.
func (s *Spool) Append(held bool, prepare func() []byte, undo func()) (index uint64, message []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	message = prepare()
	if err := s.append(held, message); err != nil {
		undo()
		return 0, nil, err
	}
	if !held {
		s.poke()
	}
	return s.last, message, nil
}

func (s *Spool) append(held bool, message []byte) error {
	if s.closed {
		return ErrClosed
	}
	framed := frame(s.last+1, message)
	if s.size+int64(len(framed)) > s.max {
		return ErrFull
	}
	seg, err := s.active()
	if err != nil {
		return err
	}
	offset := seg.size
	if err := seg.write(framed); err != nil {
		return err
	}
	s.last++
	s.size += int64(len(framed))
	seg.open++
	e := entry{index: s.last, seg: seg, offset: offset + headerSize, length: len(message)}
	if held {
		e.status = taken
	}
	s.entries = append(s.entries, e)
	return nil
}

// Message is one that Take gave out.
type Message struct {
	Index uint64
	Data  []byte
}

// Take gives up to n waiting messages, oldest first. Each must be settled with
// Arrived or LetGo.
func (s *Spool) Take(n int) ([]Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Message
	for ; s.cursor < len(s.entries) && len(out) < n; s.cursor++ {
		e := &s.entries[s.cursor]
		if e.status != waiting {
			continue
		}
		data := make([]byte, e.length)
		if _, err := e.seg.file.ReadAt(data, e.offset); err != nil {
			return out, fmt.Errorf("read message %d of the spool: %w", e.index, err)
		}
		e.status = taken
		out = append(out, Message{e.index, data})
	}
	return out, nil
}

// Oldest gives the oldest message that has not arrived, without taking it; nil
// where all have.
func (s *Spool) Oldest() (*Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.entries {
		e := &s.entries[i]
		if e.status == arrived {
			continue
		}
		data := make([]byte, e.length)
		if _, err := e.seg.file.ReadAt(data, e.offset); err != nil {
			return nil, fmt.Errorf("read message %d of the spool: %w", e.index, err)
		}
		return &Message{e.index, data}, nil
	}
	return nil, nil
}

// Last is the index of the newest message ever appended.
func (s *Spool) Last() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// Arrived says that the message is where it should be; its space may be freed.
func (s *Spool) Arrived(index uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, _ := s.find(index)
	if e == nil || e.status == arrived {
		return
	}
	e.status = arrived
	e.seg.open--
}

// LetGo puts a message back for Take.
func (s *Spool) LetGo(index uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, i := s.find(index)
	if e == nil || e.status != taken {
		return
	}
	e.status = waiting
	s.cursor = min(s.cursor, i)
	s.poke()
}

// find gives the entry and its place; nil where it has been freed.
func (s *Spool) find(index uint64) (*entry, int) {
	i, found := slices.BinarySearchFunc(s.entries, index, func(e entry, want uint64) int { return cmp.Compare(e.index, want) })
	if !found {
		return nil, 0
	}
	return &s.entries[i], i
}

// Wake gets a value when messages may be waiting.
func (s *Spool) Wake() <-chan struct{} { return s.wake }

func (s *Spool) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Size is the bytes on the disk.
func (s *Spool) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// Waiting counts messages that have not arrived.
func (s *Spool) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, seg := range s.segments {
		n += seg.open
	}
	return n
}

// Save remembers which messages arrived, and the owner's note, and frees what is
// no longer needed. note runs while no message can be appended.
func (s *Spool) Save(note func() json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note = note()
	return s.save(false)
}

// Close saves, flushes to the disk and gives the folder back.
func (s *Spool) Close(note func() json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.note = note()
	err := s.save(true)
	for _, seg := range s.segments {
		err = errors.Join(err, seg.file.Sync(), seg.file.Close())
	}
	return errors.Join(err, s.release())
}

func (s *Spool) release() error {
	var err error
	if s.state != nil {
		err = s.state.file.Close()
	}
	return errors.Join(err, s.lock.Close())
}
