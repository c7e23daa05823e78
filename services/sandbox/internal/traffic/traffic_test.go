package traffic

import (
	"fmt"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestOnlyTheLastEventsOfACompanyAreKept(t *testing.T) {
	log := NewLog()
	for i := range Kept + 5 {
		log.Add(1, Event{ID: fmt.Sprint(i), At: noon.Add(time.Duration(i) * time.Second)})
	}
	log.Add(2, Event{ID: "other", At: noon})
	got := log.Between(1, noon, noon.Add(time.Hour*24))
	if len(got) != Kept || got[0].ID != "5" || got[Kept-1].ID != fmt.Sprint(Kept+4) {
		t.Errorf("%d events from %s to %s", len(got), got[0].ID, got[len(got)-1].ID)
	}
	if other := log.Between(2, noon, noon); len(other) != 1 || other[0].ID != "other" {
		t.Errorf("the other company has %v", other)
	}
}

func TestBothEndsOfAnIntervalBelongToIt(t *testing.T) {
	log := NewLog()
	for _, s := range []int{3, 0, 2, 1} {
		log.Add(1, Event{ID: fmt.Sprint(s), At: noon.Add(time.Duration(s) * time.Second)})
	}
	var ids string
	for _, e := range log.Between(1, noon.Add(time.Second), noon.Add(3*time.Second)) {
		ids += e.ID
	}
	if ids != "123" {
		t.Errorf("got %s, want 123 in this order", ids)
	}
}
