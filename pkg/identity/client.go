package identity

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/pkg/identity/mtls"
	"github.com/comporta-mcp/comporta/pkg/seal"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// TLSFiles names the certificate files of one end of a connection.
type TLSFiles = mtls.Files

// DefaultTimeout is the deadline of one call to auth, its repeats included.
const DefaultTimeout = 3 * time.Second

// ClientConfig says how to reach auth.
type ClientConfig struct {
	// Addresses are auth's replicas as host:port. A single name is looked up in
	// the DNS and every address found is a replica.
	Addresses []string `help:"addresses (host:port) of auth's gRPC service; a single name may stand for several replicas in the DNS"`
	TLS       TLSFiles
	// Timeout bounds one call with its repeats; 0 means DefaultTimeout.
	Timeout time.Duration `help:"how long one question to auth may take, repeats on other replicas included"`

	Log    *slog.Logger         `key:"-"` // nil: no log
	Traces trace.TracerProvider `key:"-"` // nil: the process's global one
}

// ErrCannotOpen is what Release answers about sealed data that auth cannot
// open: it was sealed for another operation or link, or its key is lost.
// Asking again does not help.
var ErrCannotOpen = errors.New("auth cannot open what was sealed for the operation")

// AuthClient asks auth. It is safe for use by several goroutines.
//
// Its questions are repeated on another replica where one is UNAVAILABLE: a repeat
// of any of them is harmless.
type AuthClient struct {
	conn    *grpc.ClientConn
	auth    authv1.AuthServiceClient
	timeout time.Duration
	key     sealingKey

	life context.Context // ends with Close
	stop context.CancelFunc
	work sync.WaitGroup
}

var _ Authenticator = (*AuthClient)(nil)

// Dial makes a client. It does not wait for auth, which may come up later;
// meanwhile questions fail fast. The certificates must be there. Close it.
func Dial(cfg ClientConfig) (*AuthClient, error) {
	if err := errors.Join(cfg.Validate(), cfg.TLS.Validate()); err != nil {
		return nil, fmt.Errorf("client of auth: %w", err)
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	source, err := mtls.Open(cfg.TLS, cfg.Log)
	if err != nil {
		return nil, fmt.Errorf("certificates for auth: %w", err)
	}
	conn, err := connect(cfg, source.Client())
	if err != nil {
		return nil, fmt.Errorf("client of auth: %w", err)
	}
	c := &AuthClient{conn: conn, auth: authv1.NewAuthServiceClient(conn), timeout: cfg.Timeout}
	if c.timeout == 0 {
		c.timeout = DefaultTimeout
	}
	c.life, c.stop = context.WithCancel(context.Background())
	return c, nil
}

// Close ends the connections and what runs in the background.
func (c *AuthClient) Close() error {
	c.stop()
	err := c.conn.Close()
	c.work.Wait()
	return err
}

// Ready reports whether auth answers.
func (c *AuthClient) Ready(ctx context.Context) error {
	_, _, err := c.fetchKey(ctx)
	return err
}

// Authenticate implements Authenticator.
func (c *AuthClient) Authenticate(ctx context.Context, cred Credential, area, address string) (*Principal, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answer, err := c.auth.Authenticate(ctx, &authv1.AuthenticateRequest{
		Scheme:     protoScheme(cred.Scheme),
		Credential: string(cred.Value),
		Area:       area,
		Address:    address,
	})
	if err != nil {
		return nil, fmt.Errorf("ask auth who calls: %w", err)
	}
	if caller := answer.GetCaller(); caller != nil {
		return principalOf(caller)
	}
	return nil, refusedOf(answer.GetRefusal(), answer.GetAreas())
}

// Seal encrypts, for this operation of this link only, the credential that it
// will need and a payload. authorization is the platform's whole header value.
func (c *AuthClient) Seal(ctx context.Context, operationID, linkID string, authorization Secret, payload []byte) ([]byte, error) {
	sealer, _, err := c.SealingKey(ctx)
	if err != nil {
		return nil, err
	}
	plain, err := marshal(&authv1.Sealed{Authorization: string(authorization), Payload: payload})
	if err != nil {
		return nil, err
	}
	return sealer.Seal(plain, seal.ForOperation(operationID, linkID))
}

// Release gives the caller of an operation as of now, with the operation's
// company only, and the payload that was sealed. The error is *Refused when it
// may no longer act and ErrCannotOpen when the sealed data is of no use; any
// other error means that auth could not be asked.
func (c *AuthClient) Release(ctx context.Context, op *operationv1.Operation) (*Principal, []byte, error) {
	return c.release(ctx, op, authv1.ApprovedStep_APPROVED_STEP_UNSPECIFIED)
}

// Advance tells auth how far a call is that its person approved. Its errors are
// those of Release: *Refused when the yes is not good for that step.
func (c *AuthClient) Advance(ctx context.Context, op *operationv1.Operation, step authv1.ApprovedStep) error {
	_, _, err := c.release(ctx, op, step)
	return err
}

// Await tells auth that the operation waits for its person from now on. Where bound
// is not nil it gives a state, sealed for the link and for what bound is a digest
// of, with which Resume finds the operation again.
func (c *AuthClient) Await(ctx context.Context, op *operationv1.Operation, bound []byte) (state string, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answer, err := c.auth.Await(ctx, &authv1.AwaitRequest{
		LinkId: op.GetLinkId(), OperationId: op.GetId(), CallDigest: approval.CallDigest(op), Bound: bound,
	})
	if err != nil {
		return "", fmt.Errorf("tell auth that operation %s waits: %w", op.GetId(), err)
	}
	return answer.GetState(), nil
}

// ErrState is a state that Resume does not take: it is not auth's, is another
// call's, too old, or was used.
var ErrState = errors.New("the state is of no use")

// Resume gives the operation that Await gave a state for. Each is good once.
func (c *AuthClient) Resume(ctx context.Context, linkID, state string, bound []byte) (operationID string, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answer, err := c.auth.Resume(ctx, &authv1.ResumeRequest{LinkId: linkID, State: state, Bound: bound})
	switch {
	case err != nil:
		return "", fmt.Errorf("ask auth for the operation of a state: %w", err)
	case answer.GetOperationId() == "":
		return "", ErrState
	}
	return answer.GetOperationId(), nil
}

func (c *AuthClient) release(ctx context.Context, op *operationv1.Operation, step authv1.ApprovedStep) (*Principal, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answer, err := c.auth.Release(ctx, &authv1.ReleaseRequest{
		LinkId:      op.GetLinkId(),
		Area:        op.GetArea(),
		OperationId: op.GetId(),
		CompanyId:   op.GetCompanyId(),
		Sealed:      op.GetSealed(),
		Tool:        op.GetTool(),
		CallDigest:  approval.CallDigest(op),
		Approval:    op.GetApproval(),
		Step:        step,
		Attempt:     []byte(rand.Text()),
	})
	if status.Code(err) == codes.FailedPrecondition {
		c.key.forget()
		return nil, nil, ErrCannotOpen
	}
	if err != nil {
		return nil, nil, fmt.Errorf("ask auth for operation %s: %w", op.GetId(), err)
	}
	if step == authv1.ApprovedStep_APPROVED_STEP_ENDED {
		return nil, nil, nil
	}
	released := answer.GetReleased()
	if released == nil {
		return nil, nil, refusedOf(answer.GetRefusal(), nil)
	}
	principal, err := principalOf(released.GetCaller())
	return principal, released.GetPayload(), err
}
