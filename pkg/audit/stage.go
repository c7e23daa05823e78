package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/problem"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// Reasons of comporta_audit_refused_calls_total.
const (
	noRoom   = "room"
	noIntent = "intent"
)

// Stage records every call, refusals included; it must be the first stage. A
// writing call whose intent cannot be made durable, and any call for whose
// record there is no room, does not run: estado_invalido, retryable. A panic
// behind it becomes interno.
func (l *Log) Stage() call.Stage {
	return func(next call.Handler) call.Handler {
		next = l.guarded(next)
		return func(ctx context.Context, c *call.Call) (*call.Answer, error) {
			records := int64(1)
			writes := mayWrite(c)
			if writes {
				records = 2
			}
			if !l.room.take(records) {
				l.metrics.refused.WithLabelValues(noRoom).Inc()
				return nil, unrecorded(nil)
			}
			defer l.room.give(records)
			return l.record(ctx, c, writes, next)
		}
	}
}

// derivedKey is where a record's arguments hold call.Trace.Derived.
const derivedKey = "_derivado"

// mayWrite: a dry run changes nothing, and a call without a tool is not trusted.
func mayWrite(c *call.Call) bool {
	return !c.DryRun && (c.Tool == nil || c.Tool.Writes())
}

func (l *Log) record(ctx context.Context, c *call.Call, writes bool, next call.Handler) (*call.Answer, error) {
	began := l.now()
	var secrets []string
	if c.Tool != nil {
		secrets = c.Tool.Secrets
	}
	arguments := l.arguments(secrets, c.Args)
	var answered *call.Answer
	var err error
	if writes {
		err = l.intent(ctx, c, arguments)
	}
	if err == nil {
		answered, err = next(ctx, c)
	}
	var failed *problem.Problem
	if err != nil {
		failed = l.judged(ctx, c, err)
		err = failed
	}
	if len(c.Trace.Derived) > 0 {
		arguments = l.arguments(secrets, withDerived(c))
	}
	kept := l.keep(l.outcome(c, arguments, failed, l.now().Sub(began)))
	if kept != nil && !writes && err == nil {
		// The disk itself failed. A read's answer is not given away unrecorded; what
		// a write did has happened, its intent is recorded, and the caller must know.
		l.metrics.refused.WithLabelValues(noRoom).Inc()
		return nil, unrecorded(kept)
	}
	return answered, err
}

// withDerived is the arguments with what the tool made of them under a key that no
// argument has.
func withDerived(c *call.Call) map[string]any {
	all := maps.Clone(c.Args)
	if all == nil {
		all = map[string]any{}
	}
	all[derivedKey] = c.Trace.Derived
	return all
}

func (l *Log) intent(ctx context.Context, c *call.Call, arguments []byte) error {
	err := l.durable(ctx, l.about(c, auditv1.Kind_KIND_INTENT, arguments))
	if err == nil {
		return nil
	}
	l.metrics.refused.WithLabelValues(noIntent).Inc()
	return unrecorded(err)
}

// judged turns what a call failed with into a problem and logs the unexpected ones.
func (l *Log) judged(ctx context.Context, c *call.Call, err error) *problem.Problem {
	if _, known := errors.AsType[*problem.Problem](err); !known && errors.Is(ctx.Err(), context.Canceled) {
		return problem.New(problem.EstadoInvalido, "The call was cancelled before it ended.").
			ToDo("Look whether it took effect before you repeat it.").Because(problem.Cancelada).NotRetryable().Wrap(err)
	}
	p := problem.As(err)
	if p.Code == problem.Interno {
		l.log.ErrorContext(ctx, "a call failed unexpectedly", "error", err, "call_id", c.ID, "area", c.Area, "tool", toolName(c))
	}
	return p
}

// guarded turns a panic of next into an error; its stack goes to the log only.
func (l *Log) guarded(next call.Handler) call.Handler {
	return func(ctx context.Context, c *call.Call) (answered *call.Answer, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				l.log.ErrorContext(ctx, "a call panicked", "panic", fmt.Sprint(fault), "stack", string(debug.Stack()),
					"call_id", c.ID, "area", c.Area, "tool", toolName(c))
				answered, err = nil, fmt.Errorf("panic: %v", fault)
			}
		}()
		return next(ctx, c)
	}
}

func toolName(c *call.Call) string {
	if c.Tool == nil {
		return ""
	}
	return c.Tool.Name
}

func unrecorded(cause error) *problem.Problem {
	return problem.New(problem.EstadoInvalido, "The call cannot be recorded in the audit now, so it was not carried out.").
		ToDo("Wait some seconds and repeat the same call. If it lasts, tell the operator that the audit is not available.").
		After(retryAfter).Wrap(cause)
}
