package quota

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// BenchmarkTake compares with the floor in the same run: one put into the same
// bucket, which is the least that a count over all replicas costs.
func BenchmarkTake(b *testing.B) {
	server := serve(b, b.TempDir(), -1)
	kv, _ := bucket(b, server)
	l := New(kv, Options{})
	ctx := context.Background()
	b.Run("floor/put", func(b *testing.B) {
		value := make(window, 10).encode()
		for b.Loop() {
			if _, err := kv.Put(ctx, "floor", value); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("taken", func(b *testing.B) {
		never := Limit{Name: "never", Count: 10, Window: time.Nanosecond, Per: PerLink}
		for b.Loop() {
			if wait, err := l.Take(ctx, "link", never); wait > 0 || err != nil {
				b.Fatal(wait, err)
			}
		}
	})
	b.Run("taken, 64 links", func(b *testing.B) {
		never := Limit{Name: "never", Count: 10, Window: time.Nanosecond, Per: PerLink}
		i := 0
		for b.Loop() {
			i++
			if wait, err := l.Take(ctx, fmt.Sprint(i%64), never); wait > 0 || err != nil {
				b.Fatal(wait, err)
			}
		}
	})
	b.Run("refused", func(b *testing.B) {
		once := Limit{Name: "once", Count: 1, Window: time.Hour, Per: PerLink}
		for b.Loop() {
			if _, err := l.Take(ctx, "link", once); err != nil {
				b.Fatal(err)
			}
		}
	})
}
