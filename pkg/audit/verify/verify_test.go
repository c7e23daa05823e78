package verify_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/audit/verify"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// store is a NATS server whose administrator can do anything.
type store struct {
	t   *testing.T
	bus *bus.Bus
	now time.Time // of writers and verifications
}

func newStore(t *testing.T) *store {
	t.Helper()
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Port: -1, Lax: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop() })
	b, err := bus.Connect(bus.Config{URL: server.URL()}, "test", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := b.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &store{t: t, bus: b, now: time.Now()}
}

// write lets one process write n records and end.
func (s *store) write(dir, writer string, n int) {
	s.t.Helper()
	l, err := audit.Open(audit.Options{Bus: s.bus, Dir: dir, Writer: writer, Now: func() time.Time { return s.now }})
	if err != nil {
		s.t.Fatal(err)
	}
	for range n {
		if err := l.Person(s.t.Context(), audit.PersonEvent{Action: "looked", Person: 7, Link: "link1"}); err != nil {
			s.t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	if err := l.Close(ctx); err != nil {
		s.t.Fatal(err)
	}
}

// messages are the stream's, as they stand there.
func (s *store) messages() [][]byte {
	s.t.Helper()
	stream, err := s.bus.JS.Stream(s.t.Context(), bus.AuditStream)
	if err != nil {
		s.t.Fatal(err)
	}
	consumer, err := stream.OrderedConsumer(s.t.Context(), jetstream.OrderedConsumerConfig{})
	if err != nil {
		s.t.Fatal(err)
	}
	batch, err := consumer.Fetch(int(stream.CachedInfo().State.Msgs))
	if err != nil {
		s.t.Fatal(err)
	}
	var out [][]byte
	for msg := range batch.Messages() {
		out = append(out, msg.Data())
	}
	return out
}

// tamper makes the stream anew with other messages, as it refuses every smaller change.
func (s *store) tamper(messages [][]byte) {
	s.t.Helper()
	if err := s.bus.JS.DeleteStream(s.t.Context(), bus.AuditStream); err != nil {
		s.t.Fatal(err)
	}
	if err := s.bus.Ensure(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	for _, data := range messages {
		if _, err := s.bus.JS.Publish(s.t.Context(), bus.AuditSubject+".link1", data); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *store) verify(kept ...*auditv1.Head) *verify.Report {
	s.t.Helper()
	report, err := verify.Verify(s.t.Context(), s.bus, verify.Options{
		Kept: kept, Retention: s.bus.AuditRetention(), Now: func() time.Time { return s.now.Add(2 * verify.Grace) },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return report
}

func told(findings []verify.Finding) string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

// changed is a record with another person in it and the same place in its chain.
func changed(t *testing.T, data []byte) []byte {
	t.Helper()
	r := &auditv1.Record{}
	if err := proto.Unmarshal(data, r); err != nil {
		t.Fatal(err)
	}
	r.PersonId++
	data, err := proto.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestWhatSomebodyDidToTheStoreIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		tamper func(t *testing.T, m [][]byte) [][]byte // of one writer's 10 records
		finds  string                                  // "": nothing
	}{
		"nothing was done":                 {func(_ *testing.T, m [][]byte) [][]byte { return m }, ""},
		"a record sent twice is no fault":  {func(_ *testing.T, m [][]byte) [][]byte { return append(m, m[3]) }, ""},
		"two that overtook are no fault":   {func(_ *testing.T, m [][]byte) [][]byte { m[2], m[6] = m[6], m[2]; return m }, ""},
		"one record was changed":           {func(t *testing.T, m [][]byte) [][]byte { m[4] = changed(t, m[4]); return m }, "record 5, "},
		"the newest record was changed":    {func(t *testing.T, m [][]byte) [][]byte { m[9] = changed(t, m[9]); return m }, "record 10, "},
		"the first record was changed":     {func(t *testing.T, m [][]byte) [][]byte { m[0] = changed(t, m[0]); return m }, "record 1, "},
		"one record was removed":           {func(_ *testing.T, m [][]byte) [][]byte { return slices.Delete(m, 4, 5) }, "record 5, "},
		"the oldest records were removed":  {func(_ *testing.T, m [][]byte) [][]byte { return m[3:] }, "record 1, "},
		"the end was cut off":              {func(_ *testing.T, m [][]byte) [][]byte { return m[:7] }, "record 8: it and the 2 after it are missing. The chain was longer"},
		"all was removed":                  {func(*testing.T, [][]byte) [][]byte { return nil }, "record 1: it and the 9 after it are missing."},
		"one record was inserted":          {func(t *testing.T, m [][]byte) [][]byte { return slices.Insert(m, 5, changed(t, m[4])) }, "record 5, at place"},
		"one was added under another name": {func(t *testing.T, m [][]byte) [][]byte { return append(m, foreign(t, m[0])) }, "somebody: its chain has no head"},
		"something else stands there":      {func(_ *testing.T, m [][]byte) [][]byte { return append(m, []byte("no record")) }, "this is no record"},
		"the chain was written anew behind a change": {func(t *testing.T, m [][]byte) [][]byte {
			m[4] = changed(t, m[4])
			return rewritten(t, m)
		}, "record 10, "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			s.write(t.TempDir(), "build-0", 10)
			s.tamper(c.tamper(t, s.messages()))
			report := s.verify()
			switch got := told(report.Faults); {
			case c.finds == "" && got != "":
				t.Errorf("found %s", got)
			case c.finds != "" && (!strings.Contains(got, c.finds) || len(report.Faults) > 1):
				t.Errorf("found %q, want one line with %q", got, c.finds)
			}
			t.Log(told(report.Faults))
		})
	}
}

// foreign is the record under the name of a writer that there is not.
func foreign(t *testing.T, data []byte) []byte {
	t.Helper()
	r := &auditv1.Record{}
	if err := proto.Unmarshal(data, r); err != nil {
		t.Fatal(err)
	}
	r.Writer = "somebody"
	data, err := proto.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// rewritten makes each record name the one before it as it is.
func rewritten(t *testing.T, messages [][]byte) [][]byte {
	t.Helper()
	for i := 1; i < len(messages); i++ {
		r := &auditv1.Record{}
		if err := proto.Unmarshal(messages[i], r); err != nil {
			t.Fatal(err)
		}
		r.Previous = hashOf(messages[i-1])
		data, err := proto.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		messages[i] = data
	}
	return messages
}

func TestManyWritersRestartsAndLostFolders(t *testing.T) {
	s := newStore(t)
	kept := t.TempDir()
	s.write(kept, "build-0", 5)
	s.write(kept, "build-0", 5) // goes on with its chain
	s.write(t.TempDir(), "build-0", 3)
	s.write(t.TempDir(), "auth@pod", 4)
	report := s.verify()
	if len(report.Faults)+len(report.Doubts) > 0 || report.Records != 17 || report.Writers != 3 {
		t.Errorf("%+v\n%s", report, told(report.Faults))
	}
	heads, err := verify.Heads(t.Context(), s.bus)
	if err != nil || len(heads) != 3 {
		t.Fatalf("%v, %v", heads, err)
	}
}

func TestAHeadThatWasKeptElsewhereProvesWhatTheStoreCannot(t *testing.T) {
	s := newStore(t)
	dir := t.TempDir()
	s.write(dir, "build-0", 6)
	lines := mustEncode(t, s.bus)
	s.write(dir, "build-0", 4)
	kept, err := verify.Decode(lines)
	if err != nil {
		t.Fatal(err)
	}
	if r := s.verify(kept...); len(r.Faults) > 0 {
		t.Errorf("nothing was done, and found: %s", told(r.Faults))
	}
	// Who can write everything writes the chain and its head anew.
	kv, err := s.bus.JS.KeyValue(t.Context(), bus.AuditHeads)
	if err != nil {
		t.Fatal(err)
	}
	short := s.messages()[:5]
	s.tamper(short)
	head := proto.CloneOf(kept[0])
	head.Sequence, head.Hash = 5, hashOf(short[4])
	value, err := proto.Marshal(head)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Put(t.Context(), audit.HeadKey(head.GetWriter()), value); err != nil {
		t.Fatal(err)
	}
	if r := s.verify(); len(r.Faults) > 0 {
		t.Errorf("without a kept head this cannot be known, and found: %s", told(r.Faults))
	}
	if got := told(s.verify(kept...).Faults); !strings.Contains(got, "record 6: it is missing.") || !strings.Contains(got, "set back") {
		t.Errorf("found %q", got)
	}
}

// TestRetentionIsNoTampering moves the clock of writers and verifications; the
// stream's own stays, so what it drops is dropped by hand.
func TestRetentionIsNoTampering(t *testing.T) {
	s := newStore(t)
	dir := t.TempDir()
	begun := s.now
	for day := range 100 { // a record a day
		s.now = begun.Add(time.Duration(day) * 24 * time.Hour)
		s.write(dir, "build-0", 1)
	}
	all := s.messages()
	s.tamper(all[10:]) // 90 days stay
	if r := s.verify(); len(r.Faults) > 0 || r.Trimmed != 10 {
		t.Errorf("%d trimmed, found %s", r.Trimmed, told(r.Faults))
	}
	s.tamper(all[14:]) // and some that were younger
	if got := told(s.verify().Faults); !strings.Contains(got, "record 1, ") || !strings.Contains(got, "Record 15 stands there") {
		t.Errorf("found %q", got)
	}
	s.now = s.now.Add(100 * 24 * time.Hour) // long after, everything is gone
	s.tamper(nil)
	if r := s.verify(); len(r.Faults) > 0 || r.Trimmed != 100 {
		t.Errorf("%d trimmed, found %s", r.Trimmed, told(r.Faults))
	}
}

func TestARecordBeyondTheHeadIsADoubt(t *testing.T) {
	s := newStore(t)
	s.write(t.TempDir(), "build-0", 3)
	m := s.messages()
	r := &auditv1.Record{}
	if err := proto.Unmarshal(m[2], r); err != nil {
		t.Fatal(err)
	}
	r.Sequence, r.Previous, r.CallId = 4, hashOf(m[2]), "invented"
	added, err := proto.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	s.tamper(append(m, added))
	report := s.verify()
	if got := told(report.Doubts); len(report.Faults) > 0 || !strings.Contains(got, "call invented: the last 1 records stand beyond the head") {
		t.Errorf("faults %q, doubts %q", told(report.Faults), got)
	}
}

func TestAStreamThatLetsRecordsGoIsAFault(t *testing.T) {
	s := newStore(t)
	if err := s.bus.JS.DeleteStream(t.Context(), bus.AuditStream); err != nil {
		t.Fatal(err)
	}
	if _, err := s.bus.JS.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: bus.AuditStream, Subjects: []string{bus.AuditSubject + ".>"}, MaxAge: time.Hour, MaxMsgs: 10,
	}); err != nil {
		t.Fatal(err)
	}
	if got := s.verify().Faults; len(got) != 3 {
		t.Errorf("found %s", told(got))
	}
}

func TestHeadsThatWereKeptAreReadAgain(t *testing.T) {
	if heads, err := verify.Decode(nil); err != nil || heads != nil {
		t.Errorf("an empty file: %v, %v", heads, err)
	}
	for _, bad := range []string{"{", `{"sequence":"1"}`, "null", "x\n"} {
		if _, err := verify.Decode([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func mustEncode(t *testing.T, b *bus.Bus) []byte {
	t.Helper()
	heads, err := verify.Heads(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := verify.Encode(heads)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func BenchmarkVerify(b *testing.B) {
	server, err := embedded.Start(embedded.Options{Dir: b.TempDir(), Port: -1, Lax: true})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Stop()
	conn, err := bus.Connect(bus.Config{URL: server.URL()}, "bench", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Ensure(b.Context()); err != nil {
		b.Fatal(err)
	}
	const records = 20_000
	var previous []byte
	for i := range records {
		data, err := proto.Marshal(&auditv1.Record{
			Version: 1, CallId: fmt.Sprint("call", i), Area: "build", Tool: "retrieve_application", LinkId: "link1",
			Arguments: []byte(`{"application_id":12345}`), Writer: "build-0/abc", Sequence: uint64(i + 1), Previous: previous,
		})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := conn.JS.PublishAsync(bus.AuditSubject+".link1", data); err != nil {
			b.Fatal(err)
		}
		previous = hashOf(data)
		if i%256 == 0 {
			<-conn.JS.PublishAsyncComplete()
		}
	}
	<-conn.JS.PublishAsyncComplete()
	for b.Loop() {
		report, err := verify.Verify(b.Context(), conn, verify.Options{Retention: conn.AuditRetention()})
		if err != nil || report.Records != records {
			b.Fatal(report, err)
		}
	}
	b.ReportMetric(records*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

func hashOf(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:]
}
