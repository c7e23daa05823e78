package host

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/answer"
)

// request is one MCP request on its way through go-sdk, which knows nothing of
// callers and profiles.
type request struct {
	profile *profile
	caller  *caller
	message *message
	era     era
	lang    answer.Language
	gone    context.Context // ends when the client of a stream is gone; nil elsewhere
}

type requestKey struct{}

func withRequest(ctx context.Context, rq *request) context.Context {
	return context.WithValue(ctx, requestKey{}, rq)
}

func requestOf(ctx context.Context) (*request, bool) {
	rq, ok := ctx.Value(requestKey{}).(*request)
	return rq, ok
}
