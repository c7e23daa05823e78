package identity

import (
	"context"
	"fmt"
)

// Authenticator says who a credential belongs to.
type Authenticator interface {
	// Authenticate gives the caller for a call of this area from this network
	// address. The error is *Refused when the credential is not accepted; any
	// other error means that auth, or the platform behind it, could not be asked,
	// and nobody may conclude anything about the credential.
	Authenticate(ctx context.Context, cred Credential, area, address string) (*Principal, error)
}

// RefusalKind is why a credential is not accepted.
type RefusalKind string

const (
	RefusedToken   RefusalKind = "token"   // a personal token that is malformed, unknown, expired or revoked
	RefusedBearer  RefusalKind = "bearer"  // an access token that is malformed, unknown, expired or revoked
	RefusedArea    RefusalKind = "area"    // a good credential without this area
	RefusedPaused  RefusalKind = "paused"  // a good credential whose link its person paused
	RefusedRevoked RefusalKind = "revoked" // the link was paused or revoked; from Release only
	// The person must say yes to this very call, and has not; from Release only.
	RefusedApproval RefusalKind = "approval"
)

// Refused is auth's no.
type Refused struct {
	Kind  RefusalKind
	Areas []string // with RefusedArea: the areas that the link does include
}

// Error names the kind; it never holds the credential.
func (r *Refused) Error() string { return fmt.Sprintf("refused: %s", r.Kind) }
