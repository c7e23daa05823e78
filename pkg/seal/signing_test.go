package seal

import (
	"bytes"
	"errors"
	"testing"
	"time"
)

func TestATagFitsItsDataOnly(t *testing.T) {
	o := opener(t, bucket(t), master(t, key(1)), time.Now)
	tag, err := o.Tag(t.Context(), []byte("data"), o.SigningKey())
	if err != nil {
		t.Fatal(err)
	}
	harmed, foreign := bytes.Clone(tag), bytes.Clone(tag)
	harmed[TagSize-1] ^= 1
	foreign[1] ^= 1
	for _, test := range []struct {
		name      string
		tag, data []byte
		fits      bool
	}{
		{"as it was made", tag, []byte("data"), true},
		{"for other data", tag, []byte("date"), false},
		{"with a bit changed", harmed, []byte("data"), false},
		{"of a key that there is not", foreign, []byte("data"), false},
		{"cut off", tag[:TagSize-1], []byte("data"), false},
		{"empty", nil, []byte("data"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := o.Check(t.Context(), test.tag, test.data)
			if test.fits && err != nil || !test.fits && !errors.Is(err, ErrForged) {
				t.Errorf("the check says %v", err)
			}
		})
	}
}

func TestTagsOutliveRotationsAndAnotherReplicaKnowsThem(t *testing.T) {
	kv, m := bucket(t), master(t, key(1))
	one, other := opener(t, kv, m, time.Now), opener(t, kv, m, time.Now)
	before := one.SigningKey()
	old, err := one.Tag(t.Context(), []byte("data"), before)
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if one.SigningKey() == before {
		t.Fatal("the rotation made no new key")
	}
	fresh, err := one.Tag(t.Context(), []byte("data"), one.SigningKey())
	if err != nil {
		t.Fatal(err)
	}
	for name, tag := range map[string][]byte{"old": old, "new": fresh} {
		if err := other.Check(t.Context(), tag, []byte("data")); err != nil {
			t.Errorf("the other replica says of the %s tag: %v", name, err)
		}
	}
	again, err := one.Tag(t.Context(), []byte("data"), before)
	if err != nil || !bytes.Equal(again, old) {
		t.Errorf("the old key gives another tag now (%v)", err)
	}
}
