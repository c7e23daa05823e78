// Package once makes a write take effect at most once, whatever dies in the
// middle. A Journal is durable before the request leaves and after it was
// answered; after a crash the Writer looks at the platform before it sends
// again, and where that cannot tell, the outcome stays unknown.
//
// The rule rests on one assumption: a request takes effect within Writer.Settle
// of being sent, or never. A look after that time is therefore the truth.
package once

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/fault"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

const (
	// defaultSettle covers what a platform still does with a request whose sender is gone.
	defaultSettle = 15 * time.Second
	// longestNap is how long Write waits by itself; for longer it asks its caller to come back.
	longestNap = 2 * time.Second
	// maxSends bounds how often one write is sent when no send takes effect.
	maxSends = 10
	// recordTimeout bounds a Record that must happen although the call was cancelled.
	recordTimeout = 5 * time.Second
)

// Journal is the durable memory of one write. It belongs to one Writer.Write at a time.
type Journal interface {
	// Step is what was last recorded; nil before the first Record.
	Step() *operationv1.Step
	// Record makes step durable before it returns. On an error nothing may be sent:
	// somebody else may own the write by now. A step of STATE_UNSPECIFIED says
	// that nothing is under way: what was sent was refused.
	Record(ctx context.Context, step *operationv1.Step) error
}

// Platform is what the Writer needs of package platform.
type Platform interface {
	Do(ctx context.Context, r platform.Request) (*platform.Answer, error)
	Each(ctx context.Context, r platform.Request, yield func(item map[string]any) (more bool, err error)) error
}

// Writer carries writes out. It is safe for concurrent use.
type Writer struct {
	Platform Platform
	// Tools finds the tools that tell what became of a write.
	Tools func(name string) (*catalog.Tool, bool)
	// Settle is how long after it was sent a request may still take effect; default 15 s.
	Settle time.Duration
	// Found, if set, completes the answer that a look made: with what the platform
	// showed once, and package secret kept before the crash.
	Found func(ctx context.Context, r platform.Request, got *platform.Answer) (*platform.Answer, error)
	// Patient is for operations: a lost answer is looked into until the outcome is
	// known, with *Later where that takes a while. Otherwise a lost answer is
	// reported at once, and the step stays SENT, so that a repeat with the same
	// key looks.
	Patient bool
	Now     func() time.Time
	Sleep   func(context.Context, time.Duration) error
}

// Write carries r out, or finishes what j says was begun. Its errors are
// *problem.Problem, or *Later, which holds one. An outcome that nobody knows is
// estado_invalido with the reason resultado_desconocido. Without a journal
// (nil), and for tools that only read, it just sends.
func (w *Writer) Write(ctx context.Context, r platform.Request, j Journal) (*platform.Answer, error) {
	if j == nil || !r.Tool.Writes() {
		return w.Platform.Do(ctx, r)
	}
	a := &attempt{w: w, r: r, j: j, look: lookerFor(w, r)}
	step := j.Step()
	switch step.GetState() {
	case operationv1.Step_STATE_ANSWERED:
		return answerOf(step)
	case operationv1.Step_STATE_UNKNOWN:
		return nil, platform.Unknown(r.Tool)
	case operationv1.Step_STATE_SENT:
		return a.resume(ctx, step)
	}
	before, err := a.look.before(ctx)
	if err != nil {
		return nil, err
	}
	return a.send(ctx, before, 0)
}

// tool finds a tool by name; nil where there is none.
func (w *Writer) tool(name string) *catalog.Tool {
	if name == "" || w.Tools == nil {
		return nil
	}
	tool, _ := w.Tools(name)
	return tool
}

func (w *Writer) settle() time.Duration {
	if w.Settle == 0 {
		return defaultSettle
	}
	return w.Settle
}

func (w *Writer) now() time.Time {
	if w.Now == nil {
		return time.Now()
	}
	return w.Now()
}

func (w *Writer) sleep(ctx context.Context, d time.Duration) error {
	if w.Sleep != nil {
		return w.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// attempt is one Write.
type attempt struct {
	w    *Writer
	r    platform.Request
	j    Journal
	look looker
}

// send records that the request leaves, sends it, and records what came back.
// sends is how often it was sent before.
func (a *attempt) send(ctx context.Context, before []string, sends uint32) (*platform.Answer, error) {
	step := &operationv1.Step{Before: before, Sends: sends + 1}
	r := a.r
	r.Leaving = func(ctx context.Context) error {
		step = proto.CloneOf(step) // the journal may keep what it was given
		step.State = operationv1.Step_STATE_SENT
		step.SentAt = timestamppb.New(a.w.now())
		if err := a.j.Record(ctx, step); err != nil {
			return notRecorded(a.r.Tool, err)
		}
		fault.Point(fault.BeforeSend)
		return nil
	}
	answer, err := a.w.Platform.Do(ctx, r)
	fault.Point(fault.AfterSend)
	switch {
	case err != nil && step.State == operationv1.Step_STATE_UNSPECIFIED:
		return nil, err // it never left; the journal is as it was
	case err == nil:
		return a.answered(ctx, step, a.look.tidy(answer, step.Sends)), nil
	case !isRefusal(err) && a.w.Patient:
		return a.resume(ctx, step)
	case !isRefusal(err):
		return nil, err
	}
	return a.refused(ctx, step, err)
}

// isRefusal reports whether the write certainly had no effect. What is no
// problem at all leaves that open.
func isRefusal(err error) bool {
	_, told := errors.AsType[*problem.Problem](err)
	return told && !platform.IsUnknown(err)
}

// resume finds out what became of a write that was sent, and goes on from there.
func (a *attempt) resume(ctx context.Context, step *operationv1.Step) (*platform.Answer, error) {
	if wait := step.GetSentAt().AsTime().Add(a.w.settle()).Sub(a.w.now()); wait > longestNap {
		return nil, later(a.r.Tool, wait)
	} else if wait > 0 {
		if err := a.w.sleep(ctx, wait); err != nil {
			return nil, later(a.r.Tool, wait).because(err)
		}
	}
	found, err := a.look.after(ctx, step)
	if err != nil {
		return nil, err
	}
	switch {
	case found.outcome == landed:
		return a.found(ctx, step, found.answer)
	case found.outcome == absent && step.Sends < maxSends:
		return a.send(ctx, step.Before, step.Sends)
	}
	return a.unknown(ctx, step)
}

// refused ends a write that the platform certainly did not take. Where an
// earlier send got lost, the refusal may be that one's doing (a name now taken),
// so the platform is looked at before the refusal is believed.
func (a *attempt) refused(ctx context.Context, step *operationv1.Step, refusal error) (*platform.Answer, error) {
	if step.Sends > 1 {
		found, err := a.look.after(ctx, step)
		switch {
		case err != nil:
			return nil, err
		case found.outcome == landed:
			return a.found(ctx, step, found.answer)
		case found.outcome == unclear:
			return a.unknown(ctx, step)
		case problem.As(refusal).Retryable:
			return nil, refusal // the step stays SENT: the next try still knows what was there before the first
		}
	}
	// A journal that cannot take this only makes the next try look.
	_ = a.record(ctx, &operationv1.Step{})
	return nil, refusal
}

// answered records the platform's answer. The answer is true whether or not the
// journal takes it: a journal that does not makes the next try look.
func (a *attempt) answered(ctx context.Context, step *operationv1.Step, answer *platform.Answer) *platform.Answer {
	fault.Point(fault.BeforeRecord)
	if done, err := stepOf(a.r.Tool, step, answer); err == nil {
		_ = a.record(ctx, done)
	}
	fault.Point(fault.AfterRecord)
	return answer
}

// found is answered for what a look showed.
func (a *attempt) found(ctx context.Context, step *operationv1.Step, answer *platform.Answer) (*platform.Answer, error) {
	if a.w.Found != nil {
		var err error
		if answer, err = a.w.Found(ctx, a.r, answer); err != nil {
			return nil, err
		}
	}
	return a.answered(ctx, step, answer), nil
}

func (a *attempt) unknown(ctx context.Context, step *operationv1.Step) (*platform.Answer, error) {
	step = proto.CloneOf(step)
	step.State = operationv1.Step_STATE_UNKNOWN
	if err := a.record(ctx, step); err != nil {
		return nil, notRecorded(a.r.Tool, err)
	}
	return nil, platform.Unknown(a.r.Tool)
}

// record makes a step durable that is true even if the call was cancelled meanwhile.
func (a *attempt) record(ctx context.Context, step *operationv1.Step) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	return a.j.Record(ctx, step)
}
