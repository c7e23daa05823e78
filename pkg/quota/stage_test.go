package quota

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

func aCall(limits []string, args map[string]any) *call.Call {
	return &call.Call{
		Tool: &catalog.Tool{Limits: limits}, Args: args, Company: identity.Company{ID: 42},
		Principal: &identity.Principal{Link: identity.Link{ID: "pt_0123456789abcdef"}},
	}
}

func fine(context.Context, *call.Call) (*call.Answer, error) { return &call.Answer{}, nil }

func TestTheStageRefusesInTheContractsForm(t *testing.T) {
	c := newClock()
	l := replicas(t, 1, Options{Now: c.now})[0]
	handler := Stage(l, Defaults()[Calls], nil)(fine)
	for i := range 10 {
		if _, err := handler(t.Context(), aCall(nil, nil)); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	_, err := handler(t.Context(), aCall(nil, nil))
	p := problem.As(err)
	if p.Code != problem.LimiteExcedido || !p.Retryable || p.RetryAfter != time.Second || p.Detail["limite"] != "calls" || p.Detail["status"] != 429 {
		t.Errorf("problem %+v", p)
	}
	if text := p.What.String() + " " + p.Do.String(); !strings.Contains(text, "10 calls in 1s") || !strings.Contains(text, "Wait 1 seconds") {
		t.Errorf("it says %q", text)
	}
}

func TestNamedLimits(t *testing.T) {
	host := func(name string, others ...any) map[string]any {
		return map[string]any{"common_name": name, "alternative_names": others}
	}
	type step struct {
		limits []string
		args   map[string]any
		dry    bool
		want   string // the limit that refuses; "" for none
	}
	tests := []struct {
		name  string
		steps []step
	}{
		{"a certificate is asked for once an hour and host name", []step{
			{limits: []string{"certificates"}, args: host("a.example"), want: ""},
			{limits: []string{"certificates"}, args: host("A.example."), want: "certificates"},
			{limits: []string{"certificates"}, args: host("b.example"), want: ""},
		}},
		{"one spent name of several refuses the call, and the others stay free", []step{
			{limits: []string{"certificates"}, args: host("b.example")},
			{limits: []string{"certificates"}, args: host("a.example", "b.example"), want: "certificates"},
			{limits: []string{"certificates"}, args: host("a.example")},
		}},
		{"a name that was asked for beside another is spent as well", []step{
			{limits: []string{"certificates"}, args: host("a.example", "b.example")},
			{limits: []string{"certificates"}, args: host("b.example"), want: "certificates"},
		}},
		{"as many names as a certificate holds are taken, one more is refused and spends none", []step{
			{limits: []string{"certificates"}, args: host("a.example", many(mostSubjects)...), want: "certificates"},
			{limits: []string{"certificates"}, args: host("a.example", many(mostSubjects-1)...)},
		}},
		{"a name said twice in one call counts once", []step{
			{limits: []string{"certificates"}, args: host("a.example", "a.example")},
		}},
		{"a dry run changes nothing and costs nothing", []step{
			{limits: []string{"certificates"}, args: host("a.example"), dry: true},
			{limits: []string{"certificates"}, args: host("a.example")},
		}},
		{"a tool without limits, or with one that nobody declared", []step{
			{limits: nil}, {limits: []string{"unheard of"}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClock()
			l := replicas(t, 1, Options{Now: c.now})[0]
			handler := Stage(l, Limit{}, Defaults())(fine)
			for i, s := range tt.steps {
				one := aCall(s.limits, s.args)
				one.DryRun = s.dry
				_, err := handler(t.Context(), one)
				got := ""
				if err != nil {
					got, _ = problem.As(err).Detail["limite"].(string)
				}
				if got != s.want {
					t.Errorf("step %d: refused by %q, want %q (%v)", i, got, s.want, err)
				}
			}
		})
	}
}

func TestACallThatWasTurnedDownGivesItsNamedLimitBack(t *testing.T) {
	c := newClock()
	l := replicas(t, 1, Options{Now: c.now})[0]
	args := map[string]any{"common_name": "a.example"}
	answers := []error{
		problem.New(problem.Conflicto, "confirm"),
		errors.New("time-out after sending"),
	}
	var next int
	handler := Stage(l, Limit{}, Defaults())(func(context.Context, *call.Call) (*call.Answer, error) {
		err := answers[next]
		next++
		return nil, err
	})
	for _, want := range []problem.Code{problem.Conflicto, problem.Interno, problem.LimiteExcedido} {
		if _, err := handler(t.Context(), aCall([]string{"certificates"}, args)); problem.As(err).Code != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestALimitThatRefusesSpendsNoneOfTheOthers(t *testing.T) {
	c := newClock()
	l := replicas(t, 1, Options{Now: c.now})[0]
	two := Limit{Name: Calls, Count: 2, Window: time.Second, Per: PerLink}
	named := map[string]Limit{"dns": {Name: "dns", Count: 1, Window: time.Minute, Per: PerCompany}}
	handler := Stage(l, two, named)(fine)
	if _, err := handler(t.Context(), aCall([]string{"dns"}, nil)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := handler(t.Context(), aCall([]string{"dns"}, nil)); problem.As(err).Detail["limite"] != "dns" {
			t.Errorf("refused by %v", err)
		}
	}
	if _, err := handler(t.Context(), aCall(nil, nil)); err != nil {
		t.Errorf("the link's second call: %v", err)
	}
}

func TestSubjectsOf(t *testing.T) {
	c := aCall(nil, map[string]any{"id": json.Number("12345678901234567890"), "names": []any{"B.example", "a.example.", "b.example"}, "none": nil})
	for _, tt := range []struct {
		name string
		lim  Limit
		want []string
	}{
		{"a link", Limit{Per: PerLink}, []string{"pt_0123456789abcdef"}},
		{"a company", Limit{Per: PerCompany}, []string{"42"}},
		{"a number keeps its digits", Limit{Per: PerArg, Arg: "id"}, []string{"42/12345678901234567890"}},
		{"each host name once", Limit{Per: PerArg, Arg: "names"}, []string{"42/a.example", "42/b.example"}},
		{"an argument that is null", Limit{Per: PerArg, Arg: "none"}, []string{}},
		{"an argument that is absent", Limit{Per: PerArg, Arg: "absent"}, []string{}},
	} {
		if diff := cmp.Diff(tt.want, subjectsOf(c, tt.lim)); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

func TestSecondsAreWholeAndAtLeastOne(t *testing.T) {
	for wait, want := range map[time.Duration]int64{
		1: 1, 999 * time.Millisecond: 1, time.Second: 1, time.Second + 1: 2, time.Hour: 3600,
	} {
		if got := Seconds(wait); got != want {
			t.Errorf("%s: %d", wait, got)
		}
	}
}

func TestDefaultsAndChanges(t *testing.T) {
	for name, l := range Defaults() {
		if err := l.Validate(); err != nil || l.Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	changed, err := Changed(Defaults(), map[string]Limit{"dns": {Count: 20}, "mine": {Count: 1, Window: time.Second, Per: PerLink}})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Limit{Name: "dns", Count: 20, Window: time.Minute, Per: PerCompany}); changed["dns"] != want || changed["mine"].Name != "mine" {
		t.Errorf("changed: %+v", changed)
	}
	if Defaults()["dns"].Count != 10 {
		t.Error("a change reached the defaults")
	}
	for name, bad := range map[string]Limit{
		"too many": {Count: 1001}, "a negative window": {Window: -1}, "longer than the bucket keeps": {Window: 3 * time.Hour},
		"an unknown per": {Per: "planet"}, "an argument without per arg": {Per: PerLink, Arg: "x"}, "per arg without one": {Per: PerArg},
	} {
		if _, err := Changed(Defaults(), map[string]Limit{"dns": bad}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestStatementsCountOneEach(t *testing.T) {
	c := newClock()
	l := replicas(t, 1, Options{Now: c.now})[0]
	handler := Stage(l, Limit{}, Defaults())(fine)
	run := func(statements ...any) error {
		_, err := handler(t.Context(), aCall([]string{"sql"}, map[string]any{"database_id": json.Number("7"), "statements": statements}))
		return err
	}
	if err := run("SELECT 1", "SELECT 2; SELECT 3;", "SELECT ';'"); err != nil {
		t.Fatal(err)
	}
	if err := run("a;b;c;d", "e;f;g"); !problem.Is(err, problem.LimiteExcedido) {
		t.Errorf("seven after four: %v", err)
	}
	if err := run("a;b;c;d", "e;f"); err != nil {
		t.Errorf("the refused call spent something: %v", err)
	}
	err := run("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11")
	fields, _ := problem.As(err).Detail["fields"].(map[string]string)
	if !problem.Is(err, problem.ParametroInvalido) || fields["statements"] == "" {
		t.Errorf("eleven at once can never pass: %v", err)
	}
}

// many are different host names.
func many(n int) []any {
	names := make([]any, n)
	for i := range names {
		names[i] = fmt.Sprintf("n%d.example", i)
	}
	return names
}
