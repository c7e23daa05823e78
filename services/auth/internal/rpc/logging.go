package rpc

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// logging tells of questions that could not be answered; never of what was
// asked. One line a second: while the platform is down every question fails.
func logging(log *slog.Logger) grpc.UnaryServerInterceptor {
	lines := &perSecond{}
	return func(ctx context.Context, request any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		answer, err := next(ctx, request)
		switch code := status.Code(err); code {
		case codes.OK:
		case codes.Canceled:
			log.DebugContext(ctx, "the caller left", "method", info.FullMethod)
		default:
			if untold, may := lines.take(time.Now()); may {
				log.WarnContext(ctx, "no answer", "method", info.FullMethod, "code", code.String(), "error", err, "untold", untold)
			}
		}
		return answer, err
	}
}

// perSecond lets one event of each second through and counts the others.
type perSecond struct {
	mu     sync.Mutex
	last   time.Time
	untold int
}

// take reports whether this event may be told, and how many were not since the last one.
func (p *perSecond) take(now time.Time) (untold int, may bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.last) < time.Second {
		p.untold++
		return 0, false
	}
	untold, p.untold, p.last = p.untold, 0, now
	return untold, true
}
