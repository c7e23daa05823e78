package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPlacesKeepToThemselves(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	put := []Place{
		{1, "/g", "12"}, {1, "/g", "123"}, {1, "/g/12/beds", "1"}, {1, "/g/12/beds/1/plants", "1"},
		{1, "/g/123/beds", "1"}, {1, "/g2", "12"}, {2, "/g/12/beds", "1"},
	}
	err = s.Update(func(tx *Tx) error {
		for _, p := range put {
			if err := tx.Put(p, &Record{Key: p.Sort}); err != nil {
				return err
			}
		}
		return tx.Delete(put[0], "/g/12")
	})
	if err != nil {
		t.Fatal(err)
	}
	var left []Place
	err = s.View(func(tx *Tx) error {
		for _, p := range put {
			if r, err := tx.Get(p); err != nil {
				return err
			} else if r != nil {
				left = append(left, p)
			}
		}
		var listed []string
		for r, err := range tx.Items(1, "/g") {
			if err != nil {
				return err
			}
			listed = append(listed, r.Key)
		}
		if diff := cmp.Diff([]string{"123"}, listed); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Place{put[1], put[4], put[5], put[6]}, left); diff != "" {
		t.Errorf("left after deleting /g/12 (-want +got):\n%s", diff)
	}
}

func TestAFailedUpdateLeavesNothing(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var first int64
	failed := s.Update(func(tx *Tx) (err error) {
		if first, err = tx.NextID(); err != nil {
			return err
		}
		if err := tx.Happened(1, "create", "x", "/x"); err != nil {
			return err
		}
		return tx.SetNextID(1) // refused
	})
	if failed == nil {
		t.Fatal("the counter went down")
	}
	err = s.Update(func(tx *Tx) error {
		id, err := tx.NextID()
		if id != first {
			t.Errorf("id %d after %d was rolled back", id, first)
		}
		effects, _ := tx.Effects(0, "")
		if len(effects) != 0 {
			t.Errorf("effects %v", effects)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAChangeEndsAtItsMoment(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name   string
		change Change
		now    time.Time
		there  bool
		after  Change
	}{
		{"creating, before", Creating, at.Add(-1), true, Creating},
		{"creating, at the moment", Creating, at, true, Settled},
		{"deleting, before", Deleting, at.Add(-1), true, Deleting},
		{"deleting, at the moment", Deleting, at, false, Settled},
		{"nothing going on", Settled, at, true, Settled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Record{Change: tt.change, Until: at}
			if there := r.Now(tt.now); there != tt.there || r.Change != tt.after {
				t.Errorf("there %v, change %q", there, r.Change)
			}
		})
	}
}
