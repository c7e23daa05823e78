package approve

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
	"github.com/comporta-mcp/comporta/pkg/operation"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
)

const (
	testLink = "01KCG8QTW3Y9Z5C9V2Q4N7M1XA"
	testID   = "01KCG8QTW3Y9Z5C9V2Q4N7M1XB"

	look   = authv1.ApprovedStep_APPROVED_STEP_UNSPECIFIED
	send   = authv1.ApprovedStep_APPROVED_STEP_SEND
	again  = authv1.ApprovedStep_APPROVED_STEP_SEND_AGAIN
	gaveUp = authv1.ApprovedStep_APPROVED_STEP_REFUSED
	ended  = authv1.ApprovedStep_APPROVED_STEP_ENDED
)

// clocked is an Awaited on a real bucket with a clock to move.
func clocked(t *testing.T) (a Awaited, now *time.Time) {
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
	records, err := b.Records(bus.Approvals)
	if err != nil {
		t.Fatal(err)
	}
	now = new(time.Time)
	*now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return Awaited{Records: records, Now: func() time.Time { return *now }}, now
}

func TestOneYesIsGoodForOneEffect(t *testing.T) {
	for name, c := range map[string]struct {
		steps []authv1.ApprovedStep // all but the last must be good
		after time.Duration         // of the yes, at the last
		good  bool
	}{
		"the first send":                            {[]authv1.ApprovedStep{look, send}, time.Minute, true},
		"looks while it is sent":                    {[]authv1.ApprovedStep{look, send, look, look}, time.Minute, true},
		"a second first send":                       {[]authv1.ApprovedStep{send, send}, time.Minute, false},
		"a send that had no effect, again":          {[]authv1.ApprovedStep{send, again}, time.Minute, true},
		"what the platform refused, anew":           {[]authv1.ApprovedStep{send, gaveUp, send}, time.Minute, true},
		"anything once it has ended":                {[]authv1.ApprovedStep{send, ended, look}, time.Minute, false},
		"a first send once it has ended":            {[]authv1.ApprovedStep{send, ended, send}, time.Minute, false},
		"a further send once it has ended":          {[]authv1.ApprovedStep{send, ended, again}, time.Minute, false},
		"taken back once it has ended":              {[]authv1.ApprovedStep{send, ended, gaveUp}, time.Minute, false},
		"a send after the yes has grown old":        {[]authv1.ApprovedStep{send}, approval.Usable, false},
		"a further one after the yes has grown old": {[]authv1.ApprovedStep{send, again}, approval.Usable, false},
		"a look after the yes has grown old":        {[]authv1.ApprovedStep{look}, approval.Usable, false},
		"what was sent is followed for longer":      {[]authv1.ApprovedStep{send, look}, 5 * approval.Usable, true},
	} {
		t.Run(name, func(t *testing.T) {
			a, now := clocked(t)
			yes := *now
			if _, err := a.Open(t.Context(), testLink, testID, []byte("call")); err != nil {
				t.Fatal(err)
			}
			for i, step := range c.steps {
				last := i == len(c.steps)-1
				if last {
					*now = yes.Add(c.after)
				}
				if good := a.take(t, step, "call", yes); good != (!last || c.good) {
					t.Errorf("step %d, %s: good %t", i+1, step, good)
				}
			}
		})
	}
}

// take makes a step, each time as a question of its own.
func (a Awaited) take(t *testing.T, step authv1.ApprovedStep, digest string, yes time.Time) bool {
	t.Helper()
	if step == ended {
		if err := a.End(t.Context(), testLink, testID); err != nil {
			t.Fatal(err)
		}
		return true
	}
	questions.Add(1)
	good, err := a.advance(t.Context(), testLink, testID, []byte(digest), yes, &authv1.ReleaseRequest{
		Step: step, Attempt: []byte{byte(questions.Load())},
	})
	if err != nil {
		t.Fatal(err)
	}
	return good
}

var questions atomic.Int32

func TestAQuestionWhoseAnswerWasLostIsAnsweredAlike(t *testing.T) {
	a, now := clocked(t)
	if _, err := a.Open(t.Context(), testLink, testID, []byte("call")); err != nil {
		t.Fatal(err)
	}
	question := &authv1.ReleaseRequest{Step: send, Attempt: []byte("one")}
	for range 3 {
		if good, err := a.advance(t.Context(), testLink, testID, []byte("call"), *now, question); err != nil || !good {
			t.Errorf("%t, %v", good, err)
		}
	}
}

func TestOfManyFirstSendsAtOnceOneIsGood(t *testing.T) {
	a, now := clocked(t)
	if _, err := a.Open(t.Context(), testLink, testID, []byte("call")); err != nil {
		t.Fatal(err)
	}
	var good atomic.Int32
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			ok, err := a.advance(t.Context(), testLink, testID, []byte("call"), *now, &authv1.ReleaseRequest{Step: send, Attempt: []byte{byte(i)}})
			if err != nil {
				t.Error(err)
			}
			if ok {
				good.Add(1)
			}
		})
	}
	wg.Wait()
	if good.Load() != 1 {
		t.Errorf("%d are good", good.Load())
	}
}

func TestACallWaitsByAuthsOwnClock(t *testing.T) {
	a, now := clocked(t)
	op := &operationv1.Operation{Id: testID, LinkId: testLink, Tool: "update_application", Arguments: []byte(`{}`), Phase: operationv1.Phase_PHASE_AWAITING_APPROVAL}
	op.CreatedAt = timestamppb.New(now.Add(100 * time.Hour)) // a host's word
	end, err := a.Open(t.Context(), testLink, testID, approval.CallDigest(op))
	if err != nil || !end.Equal(now.Add(10*time.Minute)) {
		t.Fatalf("until %s, %v", end, err)
	}
	h := &Handler{Now: a.Now, Yes: Yes{Awaited: a}}
	waits := func() bool {
		n, err := a.read(t.Context(), testLink, testID)
		if err != nil {
			t.Fatal(err)
		}
		return h.waits(&visit{record: &operation.Record{Op: op}, awaited: n.call})
	}
	if !waits() {
		t.Error("it does not wait")
	}
	*now = now.Add(9 * time.Minute)
	if later, err := a.Open(t.Context(), testLink, testID, approval.CallDigest(op)); err != nil || !later.Equal(end) {
		t.Errorf("opened again it waits until %s, %v", later, err)
	}
	op.Arguments = []byte(`{"name":"other"}`)
	if _, err := a.Open(t.Context(), testLink, testID, approval.CallDigest(op)); !errors.Is(err, ErrOtherCall) {
		t.Errorf("another call under this id: %v", err)
	}
	if waits() {
		t.Error("another call waits in its place")
	}
	op.Arguments = []byte(`{}`)
	*now = now.Add(time.Minute)
	if waits() {
		t.Error("it waits for longer than 10 minutes")
	}
}

func TestNobodyWaitsWhomAuthWasNotToldOf(t *testing.T) {
	a, now := clocked(t)
	for name, id := range map[string]string{"an unknown operation": testID, "no id": "../../links/x"} {
		good, err := a.advance(t.Context(), testLink, id, []byte("call"), *now, &authv1.ReleaseRequest{Step: send})
		if good || err != nil {
			t.Errorf("%s: %t, %v", name, good, err)
		}
	}
	if _, err := a.Open(t.Context(), testLink, "not an id", []byte("call")); err == nil {
		t.Error("something without an id waits")
	}
	if (&Handler{Now: a.Now}).waits(&visit{record: &operation.Record{Op: &operationv1.Operation{}}, awaited: &authv1.Awaited{}}) {
		t.Error("an operation that auth does not know can be approved")
	}
}

// signer is a key that signs as its text.
type signer string

func (signer) SigningKey() uint32 { return 1 }
func (s signer) Tag(_ context.Context, data []byte, _ uint32) ([]byte, error) {
	return append([]byte(s), data...), nil
}
func (s signer) Check(_ context.Context, tag, data []byte) error {
	if string(tag) != string(s)+string(data) {
		return errors.New("another's")
	}
	return nil
}
func (s signer) Encrypt(plain, binding []byte) ([]byte, error) {
	return s.Tag(context.Background(), append(append(plain, '|'), binding...), 1)
}
func (s signer) Decrypt(_ context.Context, sealed, binding []byte) ([]byte, error) {
	plain, ok := bytes.CutSuffix(sealed, append([]byte("|"), binding...))
	plain, own := bytes.CutPrefix(plain, []byte(s))
	if !ok || !own {
		return nil, errors.New("another's")
	}
	return plain, nil
}
func (signer) Open(context.Context, []byte, []byte) ([]byte, error) { return nil, errors.New("no") }

func TestAYesThatIsNotAuthsOwnIsNone(t *testing.T) {
	a, now := clocked(t)
	y := Yes{Keys: signer("auth"), Awaited: a}
	op := &operationv1.Operation{Id: testID, LinkId: testLink, Area: "build", Tool: "update_application", Arguments: []byte(`{}`)}
	if _, err := y.Open(t.Context(), testLink, testID, approval.CallDigest(op)); err != nil {
		t.Fatal(err)
	}
	own, err := y.give(t.Context(), op, 7, []byte("seen"), *now)
	if err != nil {
		t.Fatal(err)
	}
	forged, err := Yes{Keys: signer("host")}.give(t.Context(), op, 7, []byte("seen"), *now)
	if err != nil {
		t.Fatal(err)
	}
	person := &link.Record{PersonID: 7}
	for name, c := range map[string]struct {
		link   *link.Record
		yes    *operationv1.Approval
		change func(*authv1.ReleaseRequest)
		good   bool
	}{
		"its own":             {person, own, func(*authv1.ReleaseRequest) {}, true},
		"none":                {person, nil, func(*authv1.ReleaseRequest) {}, false},
		"a host's":            {person, forged, func(*authv1.ReleaseRequest) {}, false},
		"another person's":    {&link.Record{PersonID: 8}, own, func(*authv1.ReleaseRequest) {}, false},
		"for another area":    {person, own, func(r *authv1.ReleaseRequest) { r.Area = "docs" }, false},
		"for another call":    {person, own, func(r *authv1.ReleaseRequest) { r.CallDigest = []byte("other") }, false},
		"for an unknown call": {person, own, func(r *authv1.ReleaseRequest) { r.OperationId = "01KCG8QTW3Y9Z5C9V2Q4N7M1XC" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := &authv1.ReleaseRequest{
				LinkId: testLink, OperationId: testID, Area: "build", Tool: op.GetTool(), CallDigest: approval.CallDigest(op), Approval: c.yes,
			}
			c.change(r)
			if good, err := y.Good(t.Context(), c.link, r); err != nil || good != c.good {
				t.Errorf("good %t, %v; want %t", good, err, c.good)
			}
		})
	}
}

func TestAStateIsGoodOnceForItsOwnCall(t *testing.T) {
	a, now := clocked(t)
	y := Yes{Keys: signer("auth"), Awaited: a}
	if _, err := y.Open(t.Context(), testLink, testID, []byte("call")); err != nil {
		t.Fatal(err)
	}
	state := func() string {
		text, err := y.State(testLink, testID, []byte("bound"))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	resume := func(link, state, bound string) string {
		id, err := y.Resume(t.Context(), link, state, []byte(bound))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	one, two := state(), state()
	for name, got := range map[string]string{
		"of another link":     resume("01KCG8QTW3Y9Z5C9V2Q4N7M1XZ", one, "bound"),
		"of other arguments":  resume(testLink, one, "other"),
		"that was changed":    resume(testLink, "A"+one[1:], "bound"),
		"that is no base64":   resume(testLink, "?", "bound"),
		"that is empty":       resume(testLink, "", "bound"),
		"of nobody's sealing": resume(testLink, "bm9ib2R5", "bound"),
	} {
		if got != "" {
			t.Errorf("a state %s gave %q", name, got)
		}
	}
	if got := resume(testLink, one, "bound"); got != testID {
		t.Errorf("the first use gave %q", got)
	}
	if got := resume(testLink, one, "bound"); got != "" {
		t.Errorf("the second use gave %q", got)
	}
	*now = now.Add(approval.Usable)
	if got := resume(testLink, two, "bound"); got != "" {
		t.Errorf("an old state gave %q", got)
	}
}
