package once

import (
	"errors"
	"fmt"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// Later says that a write may still take effect, so that looking makes sense
// only after a while. A worker puts the operation back for that long; anybody
// else finds a *problem.Problem in it that tells the caller to wait.
type Later struct {
	After time.Duration

	problem *problem.Problem
}

// Error is for logs.
func (l *Later) Error() string { return fmt.Sprintf("look again in %s", l.After) }

// Unwrap gives the *problem.Problem.
func (l *Later) Unwrap() error { return l.problem }

func later(tool *catalog.Tool, wait time.Duration) *Later {
	whole := wait.Truncate(time.Second)
	if whole < wait {
		whole += time.Second
	}
	return &Later{After: wait, problem: problem.New(problem.EstadoInvalido,
		"%s was sent before and may still be under way on the platform.", tool.Name).
		ToDo("Wait reintentar_en_segundos and call again with the same idempotency_key; it will not be done twice.").
		After(whole)}
}

func (l *Later) because(err error) *Later {
	l.problem.Wrap(err)
	return l
}

// notRecorded is the problem of a write that its journal did not take.
func notRecorded(tool *catalog.Tool, err error) error {
	if _, ok := errors.AsType[*problem.Problem](err); ok {
		return err
	}
	return problem.New(problem.EstadoInvalido, "The state of %s could not be recorded, so nothing more was sent.", tool.Name).
		ToDo("Wait reintentar_en_segundos and call again with the same arguments.").
		After(time.Second).Wrap(err)
}
