package approval_test

import (
	"bytes"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

var asked = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func anOperation() *operationv1.Operation {
	return &operationv1.Operation{
		Id: "01OP", LinkId: "link", Area: "build", Tool: "update_application", CompanyId: 7,
		Arguments: []byte(`{"name":"shop"}`), Sealed: []byte("sealed"), Payload: "01OP.name", PayloadDigest: []byte("digest"),
		CreatedAt: timestamppb.New(asked),
	}
}

func TestTheDigestOfACallIsOfAllThatItWouldSend(t *testing.T) {
	own := approval.CallDigest(anOperation())
	for name, c := range map[string]struct {
		change func(*operationv1.Operation)
		same   bool
	}{
		"another tool":                      {func(op *operationv1.Operation) { op.Tool = "delete_application" }, false},
		"another company":                   {func(op *operationv1.Operation) { op.CompanyId = 70 }, false},
		"another argument":                  {func(op *operationv1.Operation) { op.Arguments = []byte(`{"name":"stop"}`) }, false},
		"another secret":                    {func(op *operationv1.Operation) { op.Sealed = []byte("seal") }, false},
		"another content of a large one":    {func(op *operationv1.Operation) { op.PayloadDigest = []byte("digests") }, false},
		"bytes that move to the next field": {func(op *operationv1.Operation) { op.Sealed, op.PayloadDigest = []byte("sealedd"), []byte("igest") }, false},
		"the same content kept elsewhere":   {func(op *operationv1.Operation) { op.Payload = "01OP.other" }, true},
		"what happened to it since":         {func(op *operationv1.Operation) { op.Tries, op.Phase = 3, operationv1.Phase_PHASE_EXECUTING }, true},
	} {
		t.Run(name, func(t *testing.T) {
			op := anOperation()
			c.change(op)
			if bytes.Equal(approval.CallDigest(op), own) != c.same {
				t.Errorf("the same digest: %t, want %t", !c.same, c.same)
			}
		})
	}
}

func TestAYesIsForOneCallOfOnePerson(t *testing.T) {
	bound := approval.Bound{Link: "link", Operation: "01OP", Area: "build", Tool: "update_application", CallDigest: []byte("call")}
	yes := &operationv1.Approval{PersonId: 7, At: timestamppb.New(asked), Seen: []byte("seen"), Tag: []byte("tag")}
	own := approval.Statement(bound, yes)
	for name, change := range map[string]func(*approval.Bound, *operationv1.Approval){
		"another link":         func(b *approval.Bound, _ *operationv1.Approval) { b.Link = "lin" },
		"another operation":    func(b *approval.Bound, _ *operationv1.Approval) { b.Operation = "01OQ" },
		"another area":         func(b *approval.Bound, _ *operationv1.Approval) { b.Area = "docs" },
		"another tool":         func(b *approval.Bound, _ *operationv1.Approval) { b.Tool = "x" },
		"another call":         func(b *approval.Bound, _ *operationv1.Approval) { b.CallDigest = []byte("cal") },
		"another person":       func(_ *approval.Bound, a *operationv1.Approval) { a.PersonId = 8 },
		"another time":         func(_ *approval.Bound, a *operationv1.Approval) { a.At = timestamppb.New(asked.Add(1)) },
		"another look":         func(_ *approval.Bound, a *operationv1.Approval) { a.Seen = nil },
		"texts that run over":  func(b *approval.Bound, _ *operationv1.Approval) { b.Area, b.Tool = "buildu", "pdate_application" },
		"numbers of ten times": func(_ *approval.Bound, a *operationv1.Approval) { a.PersonId = 70 },
	} {
		t.Run(name, func(t *testing.T) {
			b, a := bound, proto.CloneOf(yes)
			change(&b, a)
			if bytes.Equal(approval.Statement(b, a), own) {
				t.Error("it has the same statement")
			}
		})
	}
}

func TestACallExpiresTenMinutesAfterItWasMade(t *testing.T) {
	for after, want := range map[time.Duration]bool{-time.Hour: false, 0: false, 10*time.Minute - 1: false, 10 * time.Minute: true} {
		if approval.Expired(anOperation(), asked.Add(after)) != want {
			t.Errorf("after %s: %t", after, !want)
		}
	}
}

func TestTheDigestOfAResourceIsOfWhatThePlatformShows(t *testing.T) {
	digest := func(r map[string]any) string {
		sum, err := approval.Seen(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(sum)
	}
	one := digest(map[string]any{"name": "shop", "id": 1})
	if digest(map[string]any{"id": 1, "name": "shop"}) != one {
		t.Error("the order of fields counts")
	}
	if digest(map[string]any{"name": "shop", "id": 2}) == one || digest(nil) == digest(map[string]any{}) {
		t.Error("two resources have one digest")
	}
}

func TestAResourceIsReadByTheToolThatReadsTheVeryThing(t *testing.T) {
	path := &catalog.Binding{Params: []catalog.Param{{Arg: "application_id", In: catalog.Path}, {Arg: "fields", In: catalog.Query}}}
	tools := map[string]*catalog.Tool{
		"retrieve": {Name: "retrieve", Binding: path},
		"list":     {Name: "list", Binding: path, List: &catalog.List{}},
		"account":  {Name: "account", Binding: &catalog.Binding{}},
		"hand":     {Name: "hand"},
	}
	find := func(name string) (*catalog.Tool, bool) { t, ok := tools[name]; return t, ok }
	args := map[string]any{"application_id": 5, "name": "shop", "fields": "all"}
	for name, c := range map[string]struct {
		retrieve string
		args     map[string]any
		ok       bool
	}{
		"a tool for it":                   {"retrieve", args, true},
		"an argument of it is missing":    {"retrieve", map[string]any{"name": "shop"}, false},
		"no tool is named":                {"", args, false},
		"a tool that there is not":        {"gone", args, false},
		"a list shows others too":         {"list", args, false},
		"a tool that is no request":       {"hand", args, false},
		"one that reads no single one":    {"account", args, false},
		"a new resource is not there yet": {"retrieve", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			read, with, ok := approval.Resource(&catalog.Tool{Retrieve: c.retrieve}, find, c.args)
			if ok != c.ok || ok && (read != tools["retrieve"] || len(with) != 1 || with["application_id"] != 5) {
				t.Errorf("read with %v %v, %t; want %t", read, with, ok, c.ok)
			}
		})
	}
}
