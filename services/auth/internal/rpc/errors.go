package rpc

import (
	"context"
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/comporta-mcp/comporta/services/auth/internal/person"
)

// cannotOpen tells a worker that its sealed data is of no use, now or later.
var cannotOpen = status.Error(codes.FailedPrecondition, "what was sealed for the operation cannot be opened")

// unavailable says that nobody could be asked. A client repeats the question on
// another replica, unless that one would find the same trouble.
func unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	if everywhere(err) {
		// gRPC's own way to say "do not repeat" (proposal A6); without it each call
		// would press four times upon a platform in trouble.
		_ = grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", "-1"))
	}
	return status.Error(codes.Unavailable, err.Error())
}

// everywhere reports whether it is the platform's own trouble. One that was not
// reached may be near to another replica.
func everywhere(err error) bool {
	_, busy := errors.AsType[*person.Busy](err)
	_, answered := errors.AsType[*person.Answered](err)
	return busy || answered
}
