package compose

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/graphql-go/graphql"

	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/services/observe/internal/gql"
	"github.com/comporta-mcp/comporta/services/observe/internal/model"
	"github.com/comporta-mcp/comporta/services/observe/internal/source"
)

// said is one answer of a model, or why there is none.
type said struct {
	text string
	err  error
}

// world is a composer with a model that follows a script, and an endpoint.
type world struct {
	t        *testing.T
	composer Composer
	script   []said
	heard    [][]model.Message
	sent     []string
	slept    []time.Duration
	endpoint func(query string) (*source.Answer, error)
}

func (w *world) Answer(ctx context.Context, conversation []model.Message) (string, error) {
	w.heard = append(w.heard, conversation)
	now := w.script[min(len(w.heard), len(w.script))-1]
	if now.text == "hang" {
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	return now.text, now.err
}

func begin(t *testing.T, script ...said) *world {
	w := &world{t: t, script: script}
	w.endpoint = func(string) (*source.Answer, error) { return &source.Answer{Status: 200, Data: "rows"}, nil }
	w.composer = Composer{
		Model: w, Attempts: MostAttempts, Total: time.Minute,
		Now:    func() time.Time { return time.Date(2026, 3, 1, 14, 0, 0, 0, time.FixedZone("", 2*3600)) },
		Sleep:  func(_ context.Context, d time.Duration) error { w.slept = append(w.slept, d); return nil },
		Failed: func(context.Context, error) {},
	}
	return w
}

func (w *world) compose(ctx context.Context) (*Outcome, error) {
	w.t.Helper()
	return w.composer.Compose(ctx, Goal{
		Text: "How many ships?", DataSource: "real-time-metrics", Schema: schema(w.t),
		Run: func(_ context.Context, query string) (*source.Answer, error) {
			w.sent = append(w.sent, query)
			return w.endpoint(query)
		},
	})
}

func schema(t *testing.T) *gql.Schema {
	t.Helper()
	ship := graphql.NewObject(graphql.ObjectConfig{Name: "Ship", Fields: graphql.Fields{"name": {Type: graphql.String}}})
	made, err := graphql.NewSchema(graphql.SchemaConfig{Query: graphql.NewObject(graphql.ObjectConfig{
		Name: "Query", Fields: graphql.Fields{"ships": {Type: graphql.NewList(ship)}},
	})})
	if err != nil {
		t.Fatal(err)
	}
	read, err := gql.ReadSchema(graphql.Do(graphql.Params{Schema: made, RequestString: gql.Introspection}).Data)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

const right = "query {\n  ships {\n    name\n  }\n}"

func TestEachWrongAnswerIsCorrectedByItsOwnFaults(t *testing.T) {
	w := begin(t,
		said{text: "There are three ships."},
		said{text: "mutation { sink }"},
		said{text: ""},
		said{text: "{ ships { nmae } }"},
		said{text: "{ ships { name } }"}, // which the endpoint refuses
		said{text: "{ ships { name } }"},
	)
	w.endpoint = func(string) (*source.Answer, error) {
		if len(w.sent) == 1 {
			return &source.Answer{Status: 200, Errors: []string{"a time interval is needed"}}, nil
		}
		return &source.Answer{Status: 200, Data: "rows"}, nil
	}
	out, err := w.compose(t.Context())
	if err != nil || out.Attempts != 6 || out.Query != right || out.Answer.Data != "rows" || out.Silent {
		t.Fatalf("%+v, %v", out, err)
	}
	if diff := cmp.Diff([]string{right, right}, w.sent); diff != "" {
		t.Errorf("sent to the endpoint:\n%s", diff)
	}
	for i, want := range []string{"", "no GraphQL query", "never a mutation", "exactly one operation, not 0", `Did you mean "name"`, "a time interval is needed"} {
		heard := w.heard[i]
		if i == 0 {
			if len(heard) != 2 || heard[1].Text != "How many ships?" || !strings.Contains(heard[0].Text, "2026-03-01T12:00:00 UTC") ||
				!strings.Contains(heard[0].Text, "type Ship") || !strings.Contains(heard[0].Text, "real-time-metrics") {
				t.Errorf("the question is %v", heard)
			}
			continue
		}
		if len(heard) != 4 || heard[2].Role != model.Assistant || heard[2].Text == "" || !strings.Contains(heard[3].Text, want) {
			t.Errorf("correction %d is %v, want %q in it", i, heard[2:], want)
		}
	}
	if last := w.heard[5][3].Text; !strings.Contains(last, "type Ship") {
		t.Errorf("the correction does not show the schema: %s", last)
	}
}

func TestItGivesUpAtItsBounds(t *testing.T) {
	again := &model.Failure{After: 3 * time.Second}
	for _, c := range []struct {
		name     string
		script   []said
		change   func(*world)
		attempts int
		silent   bool
		slept    int
	}{
		{"six wrong answers", []said{{text: "no"}}, nil, 6, false, 0},
		{"fewer, where so configured", []said{{text: "no"}}, func(w *world) { w.composer.Attempts = 2 }, 2, false, 0},
		{"a model that cannot be asked", []said{{err: &model.Failure{Lasting: true}}}, nil, 1, true, 0},
		{"a model that fails each time", []said{{err: &model.Failure{}}}, nil, 6, true, 0},
		{"a model that wants us to wait", []said{{err: again}, {err: again}, {text: "no"}}, nil, 6, false, 2},
		{"a model that wants us to wait too long", []said{{err: &model.Failure{After: time.Hour}}}, nil, 1, true, 0},
		{"a model that hangs", []said{{text: "hang"}}, func(w *world) { w.composer.Total = 50 * time.Millisecond }, 1, true, 0},
		{"an endpoint that refuses each query", []said{{text: "{ ships { name } }"}}, func(w *world) {
			w.endpoint = func(string) (*source.Answer, error) { return &source.Answer{Errors: []string{"no"}}, nil }
		}, 6, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := begin(t, c.script...)
			if c.change != nil {
				c.change(w)
			}
			out, err := w.compose(t.Context())
			if err != nil || out.Answer != nil || out.Attempts != c.attempts || out.Silent != c.silent || len(w.slept) != c.slept {
				t.Errorf("%+v, %v, slept %v", out, err, w.slept)
			}
			if len(w.heard) != c.attempts {
				t.Errorf("the model was asked %d times", len(w.heard))
			}
		})
	}
}

func TestAProblemThatNoQueryChangesEndsIt(t *testing.T) {
	w := begin(t, said{text: "{ ships { name } }"})
	w.endpoint = func(string) (*source.Answer, error) { return nil, problem.New(problem.SinPermiso, "no") }
	if out, err := w.compose(t.Context()); !problem.Is(err, problem.SinPermiso) || out.Attempts != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestACallerWhoGoesAwayEndsIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := begin(t, said{text: "{ ships { name } }"})
	w.endpoint = func(string) (*source.Answer, error) { cancel(); return nil, context.Canceled }
	if out, err := w.compose(ctx); !errors.Is(err, context.Canceled) || len(w.heard) != 1 {
		t.Errorf("%+v, %v, asked %d times", out, err, len(w.heard))
	}
}

func TestTheConversationDoesNotGrow(t *testing.T) {
	w := begin(t, said{text: strings.Repeat("é no ", 5000)})
	if _, err := w.compose(t.Context()); err != nil {
		t.Fatal(err)
	}
	size := func(talk []model.Message) (n int) {
		for _, m := range talk {
			n += len(m.Text)
		}
		return n
	}
	if first, last := size(w.heard[1]), size(w.heard[5]); last != first || len(w.heard[5]) != 4 {
		t.Errorf("from %d to %d bytes in %d messages", first, last, len(w.heard[5]))
	}
	if echo := w.heard[1][2].Text; len(echo) > maxEcho+len("…") || fmt.Sprintf("%q", echo) != fmt.Sprintf("%+q", echo) && strings.Contains(echo, "\ufffd") {
		t.Errorf("the echo has %d bytes", len(echo))
	}
}
