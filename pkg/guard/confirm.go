package guard

import (
	"context"

	"golang.org/x/text/unicode/norm"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// confirmed asks that a sensitive call was confirmed as its tool declares.
func confirmed(ctx context.Context, c *call.Call, names Namer) error {
	switch c.Tool.Confirm {
	case catalog.ConfirmTrue:
		if c.Confirmed || c.Tool.Harmless(c.Args) {
			return nil
		}
		return problem.New(problem.Conflicto, "%s needs to be confirmed, because it cannot be undone or touches much.", c.Tool.Name).
			ToDo("Make sure that this is what the person wants, then repeat the call with confirmado: true.").
			With("falta", catalog.ArgConfirmed)
	case catalog.ConfirmName:
		return namedExactly(ctx, c, names)
	}
	return nil
}

// namedExactly compares the confirmation with the resource's name. The name
// itself is never told: who confirms must have looked.
func namedExactly(ctx context.Context, c *call.Call, names Namer) error {
	if c.Confirmation == "" {
		return askForName(c, problem.New(problem.Conflicto, "%s needs to be confirmed with the exact name of the resource.", c.Tool.Name))
	}
	name, err := names.Name(ctx, c)
	if problem.Is(err, problem.NoEncontrado) {
		return nil // nothing is there that could be harmed; the tool itself says so, or repeats its earlier answer
	}
	if err != nil {
		return err
	}
	// One name has two byte forms where it has accents; people and models mix them.
	if norm.NFC.String(name) != norm.NFC.String(c.Confirmation) {
		return askForName(c, problem.New(problem.Conflicto, "The confirmation is not the name of the resource that %s would act on.", c.Tool.Name))
	}
	return nil
}

func askForName(c *call.Call, p *problem.Problem) *problem.Problem {
	p.With("falta", catalog.ArgConfirmation)
	if c.Tool.Retrieve == "" {
		return p.ToDo("Look the resource up, make sure that it is the right one, then repeat the call with confirmacion set to its exact name.")
	}
	return p.ToDo("Look the resource up with %s, make sure that it is the right one, then repeat the call with confirmacion set to its exact name.", c.Tool.Retrieve)
}
