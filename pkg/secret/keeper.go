package secret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/fault"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/pkg/seal"
	secretv1 "github.com/comporta-mcp/comporta/proto/secret/v1"
)

// Keys gives what sealing takes; auth's client is one. pages is the base URL of
// auth's pages, where the person sees the secret.
type Keys interface {
	SealingKey(ctx context.Context) (sealer *seal.Sealer, pages string, err error)
}

// Keeper is a platform client whose answers hold no secret that is shown once:
// each is sealed and stored before Do returns, hence before anybody records the
// answer. It is safe for concurrent use.
type Keeper struct {
	*platform.Client
	Keys  Keys
	Store *Store
	Log   *slog.Logger
}

// keepFor bounds how long a secret in hand is tried to be stored: the call's own
// end must not lose it.
const keepFor = 10 * time.Second

// Do sends the request. One whose answer may hold such a secret is not sent
// unless it could be sealed.
func (k *Keeper) Do(ctx context.Context, r platform.Request) (*platform.Answer, error) {
	if len(r.Tool.ShownOnce) == 0 {
		return k.Client.Do(ctx, r)
	}
	sealer, pages, err := k.Keys.SealingKey(ctx)
	if err != nil {
		return nil, cannotKeep(r).Wrap(err)
	}
	got, err := k.Client.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	fault.Point(fault.BeforeKeep)
	standIn := answer.Kept(address(pages, r), k.Store.now().Add(bus.SecretRetention))
	rest, taken := answer.TakeOnce(r.Tool, got.Value, standIn)
	if len(taken) == 0 {
		return got, nil
	}
	if err := k.keep(ctx, r, sealer, taken); err != nil {
		k.Log.ErrorContext(ctx, "a secret that the platform shows once could not be kept and is lost",
			"tool", r.Tool.Name, "call", r.Holder.CallID, "error", err)
		rest, _ = answer.TakeOnce(r.Tool, got.Value, answer.Lost())
	}
	fault.Point(fault.AfterKeep)
	kept := *got
	kept.Value = rest
	return &kept, nil
}

func (k *Keeper) keep(ctx context.Context, r platform.Request, sealer *seal.Sealer, taken map[string]any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepFor)
	defer cancel()
	plain, err := json.Marshal(taken)
	if err != nil {
		return fmt.Errorf("encode what was shown: %w", err)
	}
	h := r.Holder
	sealed, err := sealer.Seal(plain, Binding(h.ID, h.PersonID, h.LinkID, r.Tool.Name))
	if err != nil {
		return err
	}
	return k.Store.Put(ctx, &secretv1.Secret{
		Id: h.ID, PersonId: h.PersonID, CompanyId: r.CompanyID, LinkId: h.LinkID,
		Area: r.Tool.Area, Tool: r.Tool.Name, CallId: h.CallID,
		Names: slices.Sorted(maps.Keys(taken)), Sealed: sealed,
	})
}

// Found completes an answer that a look at the platform made after a crash: with
// the address of what was kept before it, or with the word that it is lost.
func (k *Keeper) Found(ctx context.Context, r platform.Request, got *platform.Answer) (*platform.Answer, error) {
	if len(r.Tool.ShownOnce) == 0 || got == nil {
		return got, nil
	}
	standIn := answer.Lost()
	record, err := k.Store.Get(ctx, r.Holder.PersonID, r.Holder.ID)
	switch {
	case err == nil:
		_, pages, err := k.Keys.SealingKey(ctx)
		if err != nil {
			return nil, cannotTell(r).Wrap(err)
		}
		standIn = answer.Kept(address(pages, r), record.GetExpiresAt().AsTime())
	case !errors.Is(err, ErrNone):
		return nil, cannotTell(r).Wrap(err)
	}
	complete := *got
	complete.Value = answer.FillOnce(r.Tool, got.Value, standIn)
	return &complete, nil
}

func address(pages string, r platform.Request) string { return pages + "/secrets/" + r.Holder.ID }

// Binding ties what is sealed to its record: moved to another one it does not open.
func Binding(id string, person int64, link, tool string) []byte {
	return seal.Binding("secret", id, fmt.Sprint(person), link, tool)
}

func cannotKeep(r platform.Request) *problem.Problem {
	return problem.New(problem.EstadoInvalido, "%s shows a secret that cannot be kept for the person right now, so it was not sent.", r.Tool.Name).
		ToDo("Wait reintentar_en_segundos and call again.").After(5 * time.Second)
}

func cannotTell(r platform.Request) *problem.Problem {
	return problem.New(problem.EstadoInvalido, "%s took effect, but where its secret was kept cannot be told right now.", r.Tool.Name).
		ToDo("Wait reintentar_en_segundos, then repeat the same call with the same idempotency_key.").After(5 * time.Second)
}
