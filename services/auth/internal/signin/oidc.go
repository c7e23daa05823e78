package signin

// OIDC signs persons in at the platform's own issuer.
type OIDC struct{}
