package host

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/once"
	"github.com/comporta-mcp/comporta/pkg/platform"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// Platform carries a request to the platform; package platform says how.
type Platform interface {
	Preview(platform.Request) (*platform.Preview, error)
	Do(context.Context, platform.Request) (*platform.Answer, error)
	List(ctx context.Context, r platform.Request, limit, page int) (*platform.Answer, error)
	Each(ctx context.Context, r platform.Request, yield func(item map[string]any) (more bool, err error)) error
}

// Writer makes a write take effect at most once; package once says how.
type Writer interface {
	Write(ctx context.Context, r platform.Request, j once.Journal) (*platform.Answer, error)
}

// Operations keeps long work; package operation says how. Another link's
// operation is a no_encontrado problem.
type Operations interface {
	// Keep stores what is too large for the record, before Submit.
	Keep(ctx context.Context, op *operationv1.Operation, closed []byte) error
	Submit(context.Context, *operationv1.Operation) error
	Get(ctx context.Context, linkID, id string) (*operationv1.Operation, error)
	List(ctx context.Context, linkID string, limit int) ([]*operationv1.Operation, int, error)
	Wait(ctx context.Context, linkID, id string, d time.Duration) (*operationv1.Operation, error)
	Cancel(ctx context.Context, linkID, id string) (*operationv1.Operation, error)
}

// Sealer closes a credential and a payload so that only auth can open them.
type Sealer interface {
	Seal(ctx context.Context, operationID, linkID string, authorization identity.Secret, payload []byte) ([]byte, error)
}

// Approvals tells auth that a call waits for its person, and knows it again when
// the client comes back; package identity says how.
type Approvals interface {
	Await(ctx context.Context, op *operationv1.Operation, bound []byte) (state string, err error)
	Resume(ctx context.Context, linkID, state string, bound []byte) (operationID string, err error)
}

// Audit reads the records of all hosts; package audit says how.
type Audit interface {
	Newest(ctx context.Context, s audit.Search) (*audit.Page, error)
}

// Links is what administrators do with the links of all persons; package identity
// says the errors.
type Links interface {
	ListLinks(ctx context.Context, admin identity.Secret, f identity.LinkFilter) (links []identity.LinkInfo, more bool, err error)
	RevokeLink(ctx context.Context, admin identity.Secret, id string) (link identity.LinkInfo, already bool, err error)
}

// Stages are the concerns around every call, in the order of contract §5. A nil
// one is left out, which only tests do.
type Stages struct {
	Audit, Quota, Guard, Idempotency, ToolLimits call.Stage
}

// Refusal is a request that was refused before it became a call.
type Refusal struct {
	Profile   string
	Address   string
	Principal *identity.Principal // nil before the caller is known
	Status    int                 // of the HTTP answer
	Message   string              // one of a fixed set: it is also a metric's label
}

// Wiring is what a Gate needs from others. Every field is required, unless it says otherwise.
type Wiring struct {
	Auth       identity.Authenticator
	Platform   Platform
	Writer     Writer
	Operations Operations
	Sealer     Sealer
	Approvals  Approvals
	Audit      Audit // nil where no tool of the area reads it
	Links      Links // nil likewise
	Stages     func(names guard.Namer) Stages
	// Refused records a refusal. It must not block.
	Refused func(context.Context, Refusal)
	// Others counts a request that is no tools/call against the link's limit and
	// gives how long to wait when it is spent, else 0.
	Others func(ctx context.Context, linkID string) time.Duration
	// Catalogued, if set, gets the look-up of tools once they are loaded.
	Catalogued func(find func(name string) (*catalog.Tool, bool))
	HTTP       *http.Client // for auth's metadata; nil: a plain one with a time-out
	// Objects opens an object store; nil where there is none.
	Objects func(ctx context.Context, name string) (jetstream.ObjectStore, error)
	Metrics prometheus.Registerer
	Tracer  trace.Tracer
	Log     *slog.Logger
	Now     func() time.Time
}
