package me

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/audit"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/activity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
)

// many is an audit of so many alike records.
type many int

func (many) Newest(context.Context, audit.Search) (*audit.Page, error) { return &audit.Page{}, nil }

func (n many) Forward(_ context.Context, s audit.Stretch) iter.Seq2[audit.Found, error] {
	r := &auditv1.Record{Kind: auditv1.Kind_KIND_OUTCOME, Outcome: "ok", Tool: "list_applications", At: timestamppb.New(time.Unix(1_700_000_000, 0))}
	return func(yield func(audit.Found, error) bool) {
		for i := range int(n) {
			if s.Want(r) && !yield(audit.Found{Record: r, Place: uint64(i + 1)}, nil) {
				return
			}
		}
	}
}

func TestAFileEndsAtItsBoundAndSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		records many
		lines   int
		cut     bool
	}{
		"nothing":         {0, 0, false},
		"just the bound":  {maxRows, maxRows, false},
		"one record more": {maxRows + 1, maxRows + 1, true},
		"many more":       {3 * maxRows, maxRows + 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			h := &Handler{Records: c.records}
			if err := h.stream(t.Context(), httptest.NewRecorder(), jsonLines{&out}, audit.Stretch{Want: filter{}.inFile}); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if out.Len() == 0 {
				lines = nil
			}
			if len(lines) != c.lines {
				t.Fatalf("the file has %d lines, want %d", len(lines), c.lines)
			}
			if len(lines) == 0 {
				return
			}
			var last map[string]any
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
				t.Fatal(err)
			}
			if cut := last["tipo"] == "recortado"; cut != c.cut || last["fecha"] == nil {
				t.Errorf("the last line is %v", last)
			}
		})
	}
}

func TestNoTextIsTakenForAFormula(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"list_buckets":     "list_buckets",
		"=1+1":             "'=1+1",
		"+1":               "'+1",
		"-1":               "'-1",
		"@SUM(A1)":         "'@SUM(A1)",
		"\t=1":             "'\t'=1",
		"\r=1":             "'\r'=1",
		"  =1":             "'  =1",
		"\u00a0=1":         "'\u00a0=1",
		"a=1":              "a=1",
		"número acentuado": "número acentuado",
		"a;=1;b":           "a;'=1;b", // where semicolons divide cells
		"a; +1":            "a; '+1",
		"a\n-1":            "a\n'-1",
		"a\t@x":            "a\t'@x",
		"a; b=1":           "a; b=1",
	} {
		if got := harmless(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestNoArgumentIsTakenForAFormula(t *testing.T) {
	arguments := map[string]any{"name": "x;=cmd|'/C calc'!A0;y", "tags": []any{";@a"}}
	cell := cellOf(arguments)
	if strings.Contains(cell, ";") {
		t.Errorf("the cell is %s", cell)
	}
	var again map[string]any
	if err := json.Unmarshal([]byte(cell), &again); err != nil || !reflect.DeepEqual(again, arguments) {
		t.Errorf("it reads as %v, %v", again, err)
	}
}

func TestAChartShowsWhatThereIsHoweverLittle(t *testing.T) {
	var tally activity.Tally
	tally.Days[0] = activity.Day{Calls: 1}
	tally.Days[activity.Days-1] = activity.Day{Calls: 5000, Refused: 1}
	today := time.Date(2026, 3, 30, 15, 0, 0, 0, time.UTC)
	c := chartOf(tally, today)
	if c.Calls != 5001 || c.Refused != 1 || c.Most != 5001 || len(c.Bars) != 3 || len(c.Days) != 2 {
		t.Fatalf("the chart is %+v", c)
	}
	if !c.Days[0].At.Equal(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)) || !c.Days[1].At.Equal(time.Date(2026, 3, 30, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("the days are %v", c.Days)
	}
	for _, b := range c.Bars {
		if b.Height < 2 || b.Y < 0 || b.Y+b.Height > c.Height || b.X+b.Width > c.Width {
			t.Errorf("a column stands outside: %+v", b)
		}
	}
	if empty := chartOf(activity.Tally{}, today); len(empty.Bars) != 0 || len(empty.Days) != 0 {
		t.Errorf("a chart of nothing: %+v", empty)
	}
}

func TestPagesThatListenAreBounded(t *testing.T) {
	s := NewSignals(nil)
	for range maxOfOne {
		if !s.enter(7) {
			t.Fatal("a page of the person's finds no place")
		}
	}
	if s.enter(7) {
		t.Error("one person listens without bound")
	}
	if !s.enter(8) {
		t.Error("another person finds no place")
	}
	s.leave(7)
	if !s.enter(7) {
		t.Error("a place that was left is not given again")
	}
	for person := int64(100); s.total < maxStreams; person++ {
		s.enter(person)
	}
	if s.enter(9) {
		t.Error("all persons together listen without bound")
	}
	s.Close()
	s.Close()
	if s.leave(8); s.enter(8) {
		t.Error("a page listens to who is stopping")
	}
	if _, last := <-s.done; last {
		t.Error("the streams are not ended")
	}
}

func TestAFilterSurvivesItsOwnAddress(t *testing.T) {
	f, fault := readFilter(map[string][]string{
		"link": {"01ABC"}, "area": {"build"}, "tool": {" list_applications "}, "outcome": {"refused"},
		"from": {"2026-01-01"}, "to": {"2026-01-31"}, "before": {"42"}, "nonsense": {"x"},
	})
	if fault != nil || f.Tool != "list_applications" || f.Before != 42 {
		t.Fatalf("read as %+v, %v", f, fault)
	}
	if got := f.query(7); got != "?area=build&before=7&from=2026-01-01&link=01ABC&outcome=refused&to=2026-01-31&tool=list_applications" {
		t.Errorf("the address is %s", got)
	}
	if until := f.until(); until.Format(time.RFC3339) != "2026-01-31T23:59:59Z" {
		t.Errorf("the last day ends at %s", until)
	}
	if _, fault := readFilter(map[string][]string{"to": {"31.1.2026"}}); fault == nil {
		t.Error("a day in another form is taken")
	}
}

func TestACallIsToldByItsIdsFirst(t *testing.T) {
	long := strings.Repeat("ã", 50)
	for arguments, want := range map[string]string{
		`{"name":"shop","application_id":9007199254740993,"empresa_id":7,"confirmacion":"shop"}`: "application_id: 9007199254740993, name: shop",
		`{"a":1,"b":true,"c":"x","d":2,"rules":[1],"e":{}}`:                                      "a: 1, b: true, c: x",
		`{"name":"` + long + `"}`: "name: " + strings.Repeat("ã", 40) + "…",
		`{}`:                      "",
		`null`:                    "",
		`not JSON`:                "",
	} {
		if got := about([]byte(arguments)); got != want {
			t.Errorf("%s is about %q, want %q", arguments, got, want)
		}
	}
}

func TestAChangeThatLeavesNoCompanyChangesNothing(t *testing.T) {
	l := &link.Record{Companies: []link.Company{{ID: 1001, Name: "Acme"}}, CompanyID: 1001}
	err := target{Scope: &link.Scope{}, Companies: []int64{1002}}.put(l, &signin.Session{})
	if !errors.Is(err, errGone) || len(l.Companies) != 1 || l.CompanyID != 1001 || l.Scope != nil {
		t.Errorf("%v, and the link is %+v", err, l)
	}
}
