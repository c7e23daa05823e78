package seal

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bucket is a real bucket "keys".
func bucket(t *testing.T) jetstream.KeyValue {
	t.Helper()
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Port: -1, Lax: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	b, err := bus.Connect(bus.Config{URL: server.URL()}, "test", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := b.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	kv, err := b.KV(t.Context(), bus.Keys)
	if err != nil {
		t.Fatal(err)
	}
	return kv
}

// key is a master key that consists of one byte, in base64.
func key(b byte) string {
	return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, masterKeySize))
}

func master(t *testing.T, text string) *Master {
	t.Helper()
	m, err := ParseMaster(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func opener(t *testing.T, kv Bucket, m *Master, now func() time.Time) *Opener {
	t.Helper()
	o, err := NewOpener(t.Context(), kv, m, now)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func sealWith(t *testing.T, o *Opener, plain string, binding []byte) []byte {
	t.Helper()
	s, err := NewSealer(o.Public())
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := s.Seal([]byte(plain), binding)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func TestSealedDataOpensForItsBindingOnly(t *testing.T) {
	o := opener(t, bucket(t), master(t, key(1)), time.Now)
	binding := ForOperation("op", "link")
	sealed := sealWith(t, o, "secret", binding)
	harmed := bytes.Clone(sealed)
	harmed[len(harmed)-1] ^= 1
	tests := []struct {
		name            string
		sealed, binding []byte
		opens           bool
	}{
		{"as it was sealed", sealed, binding, true},
		{"for another operation", sealed, ForOperation("oq", "link"), false},
		{"for another link", sealed, ForOperation("op", "lint"), false},
		{"for ids that only look the same together", sealed, ForOperation("opl", "ink"), false},
		{"for nothing", sealed, nil, false},
		{"with a bit changed", harmed, binding, false},
		{"cut off", sealed[:len(sealed)-1], binding, false},
		{"empty", nil, binding, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			plain, err := o.Open(t.Context(), test.sealed, test.binding)
			if test.opens && (err != nil || string(plain) != "secret") {
				t.Errorf("opened %q, %v", plain, err)
			}
			if !test.opens && !errors.Is(err, ErrCannotOpen) {
				t.Errorf("opened %q, %v; want ErrCannotOpen", plain, err)
			}
		})
	}
	if bytes.Contains(sealed, []byte("secret")) {
		t.Error("the sealed data is in clear")
	}
}

func TestASealerIsMadeOfPublicKeysOnly(t *testing.T) {
	for name, public := range map[string][]byte{"nothing": nil, "noise": []byte("noise"), "an empty keyset": {0}} {
		if _, err := NewSealer(public); err == nil {
			t.Errorf("a sealer was made of %s", name)
		}
	}
}

func TestReplicasThatStartTogetherShareTheirKeys(t *testing.T) {
	kv := bucket(t)
	openers := make([]*Opener, 8)
	var starting sync.WaitGroup
	for i := range openers {
		starting.Go(func() {
			o, err := NewOpener(context.Background(), kv, master(t, key(1)), time.Now)
			if err != nil {
				t.Error(err)
			}
			openers[i] = o
		})
	}
	starting.Wait()
	if t.Failed() {
		return
	}
	sealed := sealWith(t, openers[0], "secret", nil)
	stored, err := openers[0].Encrypt([]byte("credential"), []byte("link"))
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range openers {
		if plain, err := o.Open(t.Context(), sealed, nil); err != nil || string(plain) != "secret" {
			t.Errorf("replica %d opens %q, %v", i, plain, err)
		}
		if plain, err := o.Decrypt(t.Context(), stored, []byte("link")); err != nil || string(plain) != "credential" {
			t.Errorf("replica %d decrypts %q, %v", i, plain, err)
		}
		if _, err := o.Decrypt(t.Context(), stored, []byte("other")); !errors.Is(err, ErrCannotOpen) {
			t.Errorf("replica %d decrypts for another binding: %v", i, err)
		}
	}
}

func TestNewKeysAreUsedAndOldOnesStillOpen(t *testing.T) {
	kv := bucket(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	o, other := opener(t, kv, master(t, key(1)), clock), opener(t, kv, master(t, key(1)), clock)
	var sealed, stored [][]byte
	for round := range 3 {
		sealed = append(sealed, sealWith(t, o, fmt.Sprint(round), nil))
		data, err := o.Encrypt([]byte(fmt.Sprint(round)), nil)
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, data)
		before := bytes.Clone(o.Public())
		now = now.Add(89 * 24 * time.Hour)
		if err := o.Maintain(t.Context(), 90*24*time.Hour); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(before, o.Public()) {
			t.Error("new keys were made before their time")
		}
		now = now.Add(24 * time.Hour)
		if err := o.Maintain(t.Context(), 90*24*time.Hour); err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(before, o.Public()) {
			t.Error("no new keys were made in time")
		}
	}
	sealed, stored = append(sealed, sealWith(t, o, "3", nil)), append(stored, nil)
	stored[3], _ = o.Encrypt([]byte("3"), nil)
	for round := range 4 { // other has only the first keys in memory
		if plain, err := other.Open(t.Context(), sealed[round], nil); err != nil || string(plain) != fmt.Sprint(round) {
			t.Errorf("round %d opens %q, %v", round, plain, err)
		}
		if plain, err := other.Decrypt(t.Context(), stored[round], nil); err != nil || string(plain) != fmt.Sprint(round) {
			t.Errorf("round %d decrypts %q, %v", round, plain, err)
		}
	}
}

func TestReplicasThatMakeNewKeysTogetherMakeOne(t *testing.T) {
	kv := bucket(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	openers := []*Opener{opener(t, kv, master(t, key(1)), clock), opener(t, kv, master(t, key(1)), clock), opener(t, kv, master(t, key(1)), clock)}
	now = now.Add(100 * 24 * time.Hour)
	var rotating sync.WaitGroup
	for _, o := range openers {
		rotating.Go(func() {
			if err := o.Maintain(context.Background(), 90*24*time.Hour); err != nil {
				t.Error(err)
			}
		})
	}
	rotating.Wait()
	for i, o := range openers {
		if err := o.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if keys := o.held.Load().sealing.handle.Len(); keys != 2 {
			t.Errorf("replica %d has %d keys, want the old and one new", i, keys)
		}
		if !bytes.Equal(o.Public(), openers[0].Public()) {
			t.Errorf("replica %d uses other keys", i)
		}
	}
}

func TestTheMasterKeyCanBeChanged(t *testing.T) {
	kv := bucket(t)
	first := opener(t, kv, master(t, key(1)), time.Now)
	sealed := sealWith(t, first, "secret", nil)
	if _, err := NewOpener(t.Context(), kv, master(t, key(2)), time.Now); !errors.Is(err, ErrMaster) {
		t.Fatalf("another master key: %v, want ErrMaster", err)
	}
	both := opener(t, kv, master(t, key(2)+","+key(1)), time.Now)
	if err := both.Maintain(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	second := opener(t, kv, master(t, key(2)), time.Now)
	if plain, err := second.Open(t.Context(), sealed, nil); err != nil || string(plain) != "secret" {
		t.Errorf("under the new master key: %q, %v", plain, err)
	}
	if _, err := NewOpener(t.Context(), kv, master(t, key(1)), time.Now); !errors.Is(err, ErrMaster) {
		t.Errorf("the old master key alone: %v, want ErrMaster", err)
	}
}

func TestStoredKeysetsCannotBeSwapped(t *testing.T) {
	kv := bucket(t)
	opener(t, kv, master(t, key(1)), time.Now)
	entry, err := kv.Get(t.Context(), string(vault))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Put(t.Context(), string(sealing), entry.Value()); err != nil {
		t.Fatal(err)
	}
	if _, err := NewOpener(t.Context(), kv, master(t, key(1)), time.Now); err == nil {
		t.Error("the keyset of one purpose was taken for another")
	}
}

func TestParseMaster(t *testing.T) {
	tests := []struct {
		name, text string
		keys       int // 0: refused
	}{
		{"one key", key(1), 1},
		{"with a newline at the end", key(1) + "\r\n", 1},
		{"two keys", key(1) + " , " + key(2), 2},
		{"nothing", " \n", 0},
		{"a newline inside", key(1) + "\n" + key(2), 0},
		{"a short key", base64.StdEncoding.EncodeToString(make([]byte, 16)), 0},
		{"a long key", base64.StdEncoding.EncodeToString(make([]byte, 33)), 0},
		{"no base64", strings.Repeat("!", 44), 0},
		{"a comma at the end", key(1) + ",", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := ParseMaster(test.text)
			switch {
			case test.keys == 0 && err == nil:
				t.Error("it was taken")
			case test.keys == 0:
				if strings.Contains(err.Error(), key(1)[:8]) || strings.Contains(err.Error(), "!!!!") {
					t.Errorf("the error holds the key: %v", err)
				}
			case err != nil || len(m.keys) != test.keys:
				t.Errorf("%d keys, %v; want %d", len(m.keys), err, test.keys)
			}
		})
	}
}

func TestAMasterKeyFileIsMadeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "master.key")
	texts := make([]string, 8)
	var starting sync.WaitGroup
	for i := range texts {
		starting.Go(func() {
			text, err := EnsureMasterFile(path)
			if err != nil {
				t.Error(err)
			}
			texts[i] = text
		})
	}
	starting.Wait()
	for _, text := range texts {
		if text != texts[0] {
			t.Error("two starts have two keys")
		}
	}
	master(t, texts[0])
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %o, want 600", info.Mode().Perm())
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("%d files are left in the folder, want 1 (%v)", len(left), err)
	}
}
