package quota

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/pkg/statement"
)

// Stage refuses calls beyond a limit with limite_excedido: perLink for every
// call (a zero Limit: none), and of named the ones that the tool names. A call
// that a limit refuses has spent none of the others. A call that then fails in a
// way that shows that nothing was done gives its named limits back, so that a
// missing confirmation does not cost the certificate of the hour.
func Stage(l *Limiter, perLink Limit, named map[string]Limit) call.Stage {
	return func(next call.Handler) call.Handler {
		return func(ctx context.Context, c *call.Call) (*call.Answer, error) {
			var spent []taken
			if perLink.Count > 0 && c.Principal != nil {
				one, err := l.enter(ctx, c.Principal.Link.ID, perLink)
				if err != nil {
					return nil, err
				}
				spent = append(spent, one)
			}
			forTool, err := l.enterNamed(ctx, c, named)
			if err != nil {
				l.giveAllBack(ctx, append(spent, forTool...))
				return nil, err
			}
			answer, err := next(ctx, c)
			if err != nil && nothingDone(err) {
				l.giveAllBack(ctx, forTool)
			}
			return answer, err
		}
	}
}

// mostSubjects is for how many things one call may count, each of which is a write
// to the store: as many names as Let's Encrypt puts into a certificate.
const mostSubjects = 100

// enterNamed takes each limit that the tool names. What it took it gives back to
// its caller in any case.
func (l *Limiter) enterNamed(ctx context.Context, c *call.Call, named map[string]Limit) ([]taken, error) {
	if c.Tool == nil || c.DryRun {
		return nil, nil
	}
	var spent []taken
	for _, name := range c.Tool.Limits {
		lim, known := named[name]
		if !known {
			continue
		}
		weight := weightOf(c, lim)
		if weight > lim.Count {
			return spent, tooMany(lim, weight)
		}
		subjects := subjectsOf(c, lim)
		if len(subjects) > mostSubjects {
			return spent, tooManySubjects(lim, len(subjects))
		}
		for _, subject := range subjects {
			for range weight {
				one, err := l.enter(ctx, subject, lim)
				if err != nil {
					return spent, err
				}
				spent = append(spent, one)
			}
		}
	}
	return spent, nil
}

func (l *Limiter) enter(ctx context.Context, subject string, lim Limit) (taken, error) {
	one, wait, err := l.take(ctx, subject, lim)
	if err != nil {
		return taken{}, fmt.Errorf("limit %s: %w", lim.Name, err)
	}
	if wait > 0 {
		return taken{}, exceeded(lim, wait)
	}
	return one, nil
}

func (l *Limiter) giveAllBack(ctx context.Context, spent []taken) {
	// The call may have been cancelled; what it did not use is given back all the same.
	ctx = context.WithoutCancel(ctx)
	for _, one := range spent {
		l.giveBack(ctx, one)
	}
}

// weightOf is how much of a limit the call takes.
func weightOf(c *call.Call, lim Limit) int {
	statements := 0
	switch v := c.Args[lim.Each].(type) {
	case string:
		statements = statement.Count(v)
	case []any:
		for _, element := range v {
			text, _ := element.(string)
			statements += max(1, statement.Count(text))
		}
	}
	return max(1, statements)
}

// tooMany is the problem of a call that no waiting would let in.
func tooMany(lim Limit, weight int) *problem.Problem {
	return problem.New(problem.ParametroInvalido, "The limit %s allows %d statements in %s, and this call has %d.", lim.Name, lim.Count, span(lim.Window), weight).
		ToDo("Send at most %d statements at once.", lim.Count).
		With("limite", lim.Name).
		Field(lim.Each, problem.Sentence{Format: "has %d statements; at most %d are possible at once", Args: []any{weight, lim.Count}})
}

// tooManySubjects is the problem of a call that names too much at once.
func tooManySubjects(lim Limit, named int) *problem.Problem {
	p := problem.New(problem.ParametroInvalido, "The limit %s counts each value of %s, and %d at once are too many.", lim.Name, lim.Arg, named).
		ToDo("Name at most %d in one call.", mostSubjects).
		With("limite", lim.Name)
	for name := range strings.SplitSeq(lim.Arg, ",") {
		p.Field(strings.TrimSpace(name), problem.Sentence{Format: "together at most %d different values, not %d", Args: []any{mostSubjects, named}})
	}
	return p
}

// exceeded is the problem of a call beyond lim.
func exceeded(lim Limit, wait time.Duration) *problem.Problem {
	seconds := Seconds(wait)
	return problem.New(problem.LimiteExcedido, "The limit %s allows %d calls in %s, and they are used up.", lim.Name, lim.Count, span(lim.Window)).
		ToDo("Wait %d seconds, then repeat the same call.", seconds).
		After(time.Duration(seconds)*time.Second).
		With("limite", lim.Name).With("status", 429)
}

// Seconds is a wait as callers see it: whole seconds, at least 1.
func Seconds(wait time.Duration) int64 {
	return max(1, int64((wait+time.Second-1)/time.Second))
}

// span tells a window without Go's trailing zero units: 1m0s is 1m.
func span(d time.Duration) string {
	text := d.String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

// nothingDone: these codes mean that the call was turned down, here or by the platform.
func nothingDone(err error) bool {
	return slices.Contains([]problem.Code{
		problem.ParametroInvalido, problem.Conflicto, problem.SinPermiso, problem.NoEncontrado, problem.LimiteExcedido,
	}, problem.As(err).Code)
}

// subjectsOf is whom a call counts for: one, or one for each value of the arguments.
func subjectsOf(c *call.Call, lim Limit) []string {
	company := strconv.FormatInt(c.Company.ID, 10)
	switch lim.Per {
	case PerCompany:
		return []string{company}
	case PerArg:
		values := map[string]bool{}
		for name := range strings.SplitSeq(lim.Arg, ",") {
			collect(c.Args[strings.TrimSpace(name)], values)
		}
		subjects := make([]string, 0, len(values))
		for _, value := range slices.Sorted(maps.Keys(values)) {
			subjects = append(subjects, company+"/"+value)
		}
		return subjects
	default:
		if c.Principal == nil {
			return nil
		}
		return []string{c.Principal.Link.ID}
	}
}

// collect gathers the values of an argument. Host names are compared as the DNS
// does: without case and without the final dot.
func collect(v any, values map[string]bool) {
	switch v := v.(type) {
	case nil:
	case []any:
		for _, element := range v {
			collect(element, values)
		}
	case string:
		values[strings.TrimSuffix(strings.ToLower(strings.TrimSpace(v)), ".")] = true
	case json.Number:
		values[v.String()] = true
	default:
		values[fmt.Sprint(v)] = true
	}
}
