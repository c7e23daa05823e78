package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, dir string, max int64) (*Spool, *Found) {
	t.Helper()
	s, found, err := Open(Options{Dir: dir, MaxBytes: max})
	if err != nil {
		t.Fatal(err)
	}
	return s, found
}

func add(t *testing.T, s *Spool, text string) uint64 {
	t.Helper()
	index, _, err := s.Append(false, func() []byte { return []byte(text) }, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return index
}

// die gives the folder back as the kernel does for a killed process: nothing is saved.
func die(t *testing.T, s *Spool) {
	t.Helper()
	for _, seg := range s.segments {
		seg.file.Close()
	}
	if err := s.release(); err != nil {
		t.Fatal(err)
	}
}

func texts(t *testing.T, s *Spool) []string {
	t.Helper()
	messages, err := s.Take(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, m := range messages {
		out = append(out, string(m.Data))
	}
	return out
}

func note(text string) func() json.RawMessage {
	return func() json.RawMessage { return json.RawMessage(`"` + text + `"`) }
}

func TestMessagesWaitInOrderOverAKill(t *testing.T) {
	dir := t.TempDir()
	s, found := open(t, dir, 1<<20)
	if !found.Whole || found.Note != nil || found.Waiting != 0 {
		t.Errorf("a new folder: %+v", found)
	}
	for i := range 5 {
		add(t, s, fmt.Sprint("m", i))
	}
	taken, err := s.Take(2)
	if err != nil || len(taken) != 2 {
		t.Fatal(taken, err)
	}
	s.Arrived(taken[0].Index)
	if err := s.Save(note("head")); err != nil {
		t.Fatal(err)
	}
	add(t, s, "m5")
	die(t, s)

	s, found = open(t, dir, 1<<20)
	if string(found.Note) != `"head"` || !found.Whole || found.Waiting != 5 || len(found.Damage) != 0 {
		t.Errorf("found %+v", found)
	}
	if len(found.Since) != 1 || string(found.Since[0]) != "m5" {
		t.Errorf("since the note: %q", found.Since)
	}
	if got := fmt.Sprint(texts(t, s)); got != "[m1 m2 m3 m4 m5]" {
		t.Errorf("waiting: %s", got)
	}
	if index := add(t, s, "m6"); index != 7 {
		t.Errorf("the next index is %d", index)
	}
}

func TestATornLastMessageIsCutOff(t *testing.T) {
	for cut := 1; cut < headerSize+5; cut++ {
		dir := t.TempDir()
		s, _ := open(t, dir, 1<<20)
		add(t, s, "whole")
		add(t, s, "torn!")
		path := s.segments[0].path
		size := s.segments[0].size
		die(t, s)
		if err := os.Truncate(path, size-int64(cut)); err != nil {
			t.Fatal(err)
		}
		s, found := open(t, dir, 1<<20)
		if got := fmt.Sprint(texts(t, s)); got != "[whole]" || !found.Whole || len(found.Damage) != 1 {
			t.Errorf("cut by %d: %s, %+v", cut, got, found)
		}
		add(t, s, "next")
		if got := fmt.Sprint(texts(t, s)); got != "[next]" {
			t.Errorf("after the cut: %s", got)
		}
		die(t, s)
	}
}

func TestDamageInTheMiddleIsToldAndKept(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir, 1<<20)
	s.segSize = 64
	for i := range 6 {
		add(t, s, strings.Repeat(fmt.Sprint(i), 30))
	}
	path := s.segments[0].path
	die(t, s)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[headerSize+3] ^= 0xff
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, found := open(t, dir, 1<<20)
	defer die(t, s)
	if found.Whole || len(found.Damage) == 0 {
		t.Errorf("found %+v", found)
	}
	if got := len(texts(t, s)); got != 4 { // two entries a segment
		t.Errorf("%d messages are left", got)
	}
	if kept, err := os.ReadFile(path + ".damaged"); err != nil || len(kept) != len(data) {
		t.Errorf("what was cut out: %d bytes, %v", len(kept), err)
	}
}

func TestATornStateFallsBackToTheOneBefore(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir, 1<<20)
	add(t, s, "a")
	for _, text := range []string{"one", "two"} {
		if err := s.Save(note(text)); err != nil {
			t.Fatal(err)
		}
	}
	slot := int64(s.state.current.Generation%2) * slotSize
	if _, err := s.state.file.WriteAt([]byte("torn"), slot); err != nil {
		t.Fatal(err)
	}
	die(t, s)
	s, found := open(t, dir, 1<<20)
	if string(found.Note) != `"one"` || !found.Whole {
		t.Errorf("found %+v", found)
	}
	for slot := range int64(2) {
		if _, err := s.state.file.WriteAt([]byte("torn"), slot*slotSize); err != nil {
			t.Fatal(err)
		}
	}
	die(t, s)
	s, found = open(t, dir, 1<<20)
	defer die(t, s)
	if found.Whole || found.Note != nil || found.Waiting != 1 {
		t.Errorf("with both torn: %+v", found)
	}
}

func TestAPowerCutIsTold(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir, 1<<20)
	s.boot = "an earlier boot"
	if err := s.Save(note("x")); err != nil {
		t.Fatal(err)
	}
	die(t, s)
	s, found := open(t, dir, 1<<20)
	if found.Whole {
		t.Error("an unclean end in an earlier boot counts as whole")
	}
	s.boot = "an earlier boot"
	if err := s.Close(note("x")); err != nil {
		t.Fatal(err)
	}
	s, found = open(t, dir, 1<<20)
	defer die(t, s)
	if !found.Whole {
		t.Error("a clean end in an earlier boot does not count as whole")
	}
}

func TestFullMeansFullUntilMessagesArrive(t *testing.T) {
	s, _ := open(t, t.TempDir(), 64<<10)
	defer die(t, s)
	message := strings.Repeat("x", 1000)
	var indexes []uint64
	for {
		undone := false
		index, _, err := s.Append(false, func() []byte { return []byte(message) }, func() { undone = true })
		if errors.Is(err, ErrFull) {
			if !undone {
				t.Error("the caller was not told to undo")
			}
			break
		}
		if err != nil || undone {
			t.Fatal(err, undone)
		}
		indexes = append(indexes, index)
	}
	if s.Size() > 64<<10 || len(indexes) < 60 {
		t.Errorf("%d messages in %d bytes", len(indexes), s.Size())
	}
	texts(t, s)
	for _, index := range indexes {
		s.Arrived(index)
	}
	if err := s.Save(note("x")); err != nil {
		t.Fatal(err)
	}
	if s.Size() != 0 || s.Waiting() != 0 {
		t.Errorf("%d bytes, %d waiting", s.Size(), s.Waiting())
	}
	files, err := filepath.Glob(filepath.Join(s.dir, "*.seg"))
	if err != nil || len(files) != 1 {
		t.Errorf("segments on the disk: %v %v", files, err)
	}
	add(t, s, message)
}

func TestHeldMessagesWaitUntilTheyAreLetGo(t *testing.T) {
	s, _ := open(t, t.TempDir(), 1<<20)
	defer die(t, s)
	index, _, err := s.Append(true, func() []byte { return []byte("held") }, func() {})
	if err != nil {
		t.Fatal(err)
	}
	add(t, s, "free")
	if got := fmt.Sprint(texts(t, s)); got != "[free]" {
		t.Errorf("while held: %s", got)
	}
	s.LetGo(index)
	if got := fmt.Sprint(texts(t, s)); got != "[held]" {
		t.Errorf("let go: %s", got)
	}
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir, 1<<20)
	if _, _, err := Open(Options{Dir: dir, MaxBytes: 1 << 20}); err == nil {
		t.Error("the folder was opened twice")
	}
	if err := s.Close(note("x")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Append(false, func() []byte { return nil }, func() {}); !errors.Is(err, ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
	again, _ := open(t, dir, 1<<20)
	die(t, again)
}

func FuzzRecover(f *testing.F) {
	f.Add([]byte("junk"), []byte{})
	f.Add(append(frame(1, []byte("a")), frame(2, []byte("b"))...), []byte("0 {}"))
	f.Add(append(frame(7, []byte("a")), 0xff), []byte(checksum([]byte(`{"last":9}`))+` {"last":9}`))
	f.Fuzz(func(t *testing.T, segment, state []byte) {
		dir := t.TempDir()
		if err := errors.Join(
			os.WriteFile(filepath.Join(dir, fmt.Sprintf(segmentName, 1)), segment, 0o600),
			os.WriteFile(filepath.Join(dir, "state"), state, 0o600),
		); err != nil {
			t.Fatal(err)
		}
		s, _, err := Open(Options{Dir: dir, MaxBytes: 1 << 20})
		if err != nil {
			t.Skip()
		}
		defer die(t, s)
		before := texts(t, s)
		add(t, s, "after")
		if got := texts(t, s); len(got) != 1 || got[0] != "after" {
			t.Errorf("after %q: %q", before, got)
		}
	})
}
