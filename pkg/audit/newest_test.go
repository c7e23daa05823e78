package audit

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/operation/natstest"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// written puts n records into the stream: every tenth of the link "pt_b", of the
// tool delete_x each hundredth, one second apart from start on.
func written(t testing.TB, b *bus.Bus, n int, start time.Time) {
	t.Helper()
	js, err := jetstream.New(b.Conn, jetstream.WithPublishAsyncMaxPending(4000))
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		r := &auditv1.Record{
			Version: 1, Kind: auditv1.Kind_KIND_OUTCOME, CallId: fmt.Sprintf("call-%06d", i), At: timestamppb.New(start.Add(time.Duration(i) * time.Second)),
			Area: "build", Tool: "list_x", LinkId: "pt_a", PersonId: 7, Outcome: "ok", Writer: "w", Sequence: uint64(i + 1),
			Arguments: []byte(`{"name":"shop","filter":"something of a usual length"}`),
		}
		if i%10 == 0 {
			r.LinkId = "pt_b"
		}
		if i%100 == 0 {
			r.Tool = "delete_x"
		}
		data, err := proto.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := js.PublishAsync(bus.AuditSubject+"."+r.GetLinkId(), data, jetstream.WithStallWait(30*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-js.PublishAsyncComplete():
	case <-time.After(time.Minute):
		t.Fatal("the records were not stored within a minute")
	}
}

func ids(p *Page) (ids []string) {
	for _, r := range p.Records {
		ids = append(ids, r.Record.GetCallId())
	}
	return ids
}

func TestTheNewestRecordsComeFirstPageByPage(t *testing.T) {
	b := natstest.Start(t).Connect()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const n = 3_050
	written(t, b, n, start)
	for name, c := range map[string]struct {
		search Search
		wants  func(i int) bool
	}{
		"all":                   {Search{}, func(int) bool { return true }},
		"of one link":           {Search{LinkID: "pt_b"}, func(i int) bool { return i%10 == 0 }},
		"of one tool":           {Search{Want: func(r *auditv1.Record) bool { return r.GetTool() == "delete_x" }}, func(i int) bool { return i%100 == 0 }},
		"of a link without any": {Search{LinkID: "pt_none"}, func(int) bool { return false }},
		"between two moments":   {Search{Since: start.Add(100 * time.Second), Until: start.Add(300 * time.Second)}, func(i int) bool { return i >= 100 && i <= 300 }},
	} {
		t.Run(name, func(t *testing.T) {
			var want, got []string
			for i := n - 1; i >= 0; i-- {
				if c.wants(i) {
					want = append(want, fmt.Sprintf("call-%06d", i))
				}
			}
			c.search.Limit = 170
			for range 100 {
				page, err := Newest(t.Context(), b, c.search)
				if err != nil {
					t.Fatal(err)
				}
				if len(page.Records) > c.search.Limit {
					t.Fatalf("%d records on a page", len(page.Records))
				}
				got = append(got, ids(page)...)
				if c.search.Before = page.Next; page.Next == 0 {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d records, want %d; the first differences: %v", len(got), len(want), firstDifference(got, want))
			}
		})
	}
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("at %d: %s, want %s", i, a[i], b[i])
		}
	}
	return "one is longer"
}

func TestARecordThatWasSentTwiceComesOnce(t *testing.T) {
	b := natstest.Start(t).Connect()
	start := time.Now()
	written(t, b, 3, start)
	written(t, b, 3, start)
	page, err := Newest(t.Context(), b, Search{Limit: 10})
	if err != nil || len(page.Records) != 3 {
		t.Errorf("%v, %v", ids(page), err)
	}
}

// One call's time and memory do not grow with the audit beyond what maxLooked allows.
func BenchmarkNewest(b *testing.B) {
	nats := natstest.Start(b).Connect()
	written(b, nats, 100_000, time.Now())
	for name, search := range map[string]Search{
		"the newest 50":           {Limit: 50},
		"the oldest of 100 000":   {Limit: 50, Want: func(r *auditv1.Record) bool { return r.GetCallId() < "call-000050" }},
		"of a link, one in ten":   {Limit: 50, LinkID: "pt_b"},
		"nothing in 100 000":      {Limit: 50, Want: func(*auditv1.Record) bool { return false }},
		"all wanted, 200 records": {Limit: 200},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Newest(b.Context(), nats, search); err != nil {
					b.Fatal(err)
				}
			}
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MiB-live")
		})
	}
}
