package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bound of what is listed: a server whose pages never end is cut there.
const maxListed = 10_000

// maxPages bounds a list whose pages are empty and never end.
const maxPages = 1_000

// remote is a session over the protocol.
type remote struct {
	*mcp.ClientSession
	ctx     context.Context // of every call; ends at close
	cancel  context.CancelFunc
	release func() // what the transport holds besides the connection
	reason  func() error
	ended   chan struct{}
	endErr  error // of Wait, valid after ended
	running sync.WaitGroup

	tokens   atomic.Int64
	progress sync.Map // token (string) → *listener
}

// link is one transport, ready to connect.
type link struct {
	transport mcp.Transport
	release   func()       // may be nil
	reason    func() error // why the other side is gone, where the transport knows more; may be nil
}

// connect opens a session over l. ctx bounds the handshake alone: some transports
// tie the context that they get to the connection's life.
func connect(ctx context.Context, o *Options, l link, e events) (session, error) {
	var refused refusal
	life, cancel := context.WithCancel(refused.listen(context.WithoutCancel(ctx)))
	r := &remote{ctx: life, cancel: cancel, release: l.release, reason: l.reason, ended: make(chan struct{})}
	stop := context.AfterFunc(ctx, cancel)
	s, err := mcp.NewClient(&mcp.Implementation{Name: o.Name, Version: o.Version}, r.options(e)).Connect(life, l.transport, nil)
	if !stop() && err == nil {
		_ = s.Close()
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		return nil, explain(ctx, l, refused.explain(err))
	}
	r.ClientSession = s
	r.running.Go(func() {
		r.endErr = s.Wait()
		close(r.ended)
	})
	return r, nil
}

// explain is why a handshake failed, in the order of who knows best.
func explain(ctx context.Context, l link, err error) error {
	if l.reason != nil {
		if better := l.reason(); better != nil {
			err = better
		}
	}
	if l.release != nil {
		l.release()
	}
	switch cause := ctx.Err(); {
	case errors.Is(cause, context.DeadlineExceeded):
		return errors.New("the server did not answer the handshake in time")
	case cause != nil:
		return cause
	}
	if network, ok := errors.AsType[*url.Error](err); ok {
		return network
	}
	return err
}

func (r *remote) options(e events) *mcp.ClientOptions {
	o := &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			e.toolsChanged()
		},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			token, _ := req.Params.ProgressToken.(string)
			if l, ok := r.progress.Load(token); ok {
				l.(*listener).hear(Progress{Done: req.Params.Progress, Total: req.Params.Total, Text: req.Params.Message})
			}
		},
	}
	if e.elicit != nil {
		o.Capabilities.Elicitation = &mcp.ElicitationCapabilities{
			Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{},
		}
		o.ElicitationHandler = func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			ctx, cancel := r.within(ctx)
			defer cancel()
			return e.elicit(ctx, req.Params)
		}
	}
	return o
}

// within joins the caller's context with the session's life: go-sdk's Close waits
// for the calls that run.
func (r *remote) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(r.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

func (r *remote) call(ctx context.Context, tool string, args json.RawMessage, progress func(Progress)) (*mcp.CallToolResult, error) {
	ctx, cancel := r.within(ctx)
	defer cancel()
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	if progress != nil {
		token := fmt.Sprintf("p%d", r.tokens.Add(1))
		l := &listener{tell: progress}
		r.progress.Store(token, l)
		defer l.end()
		defer r.progress.Delete(token)
		params.SetProgressToken(token)
	}
	var refused refusal
	result, err := r.CallTool(refused.listen(ctx), params)
	if err != nil && r.ID() != "" && refused.status() == http.StatusNotFound {
		// A forgotten session ends the connection, and with it the call's context,
		// before go-sdk tells the call why. The server did not take it.
		return nil, fmt.Errorf("%w: %w", mcp.ErrSessionMissing, *refused.Load())
	}
	return result, refused.explain(err)
}

func (r *remote) read(ctx context.Context, uri string) ([]*mcp.ResourceContents, error) {
	ctx, cancel := r.within(ctx)
	defer cancel()
	result, err := r.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(result.Contents, func(c *mcp.ResourceContents) bool { return c == nil }), nil
}

func (r *remote) tools(ctx context.Context) ([]*mcp.Tool, error) {
	if caps := r.InitializeResult().Capabilities; caps != nil && caps.Tools == nil {
		return nil, nil
	}
	ctx, cancel := r.within(ctx)
	defer cancel()
	return pages(func(cursor string) ([]*mcp.Tool, string, error) {
		page, err := r.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Tools, page.NextCursor, nil
	})
}

func (r *remote) resources(ctx context.Context) ([]*mcp.Resource, error) {
	if caps := r.InitializeResult().Capabilities; caps != nil && caps.Resources == nil {
		return nil, nil
	}
	ctx, cancel := r.within(ctx)
	defer cancel()
	return pages(func(cursor string) ([]*mcp.Resource, string, error) {
		page, err := r.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Resources, page.NextCursor, nil
	})
}

// pages reads a list to its end: an empty cursor, a cursor that was there before,
// or a bound. A null in it is nothing.
func pages[T any](next func(cursor string) ([]*T, string, error)) ([]*T, error) {
	var all []*T
	seen := map[string]bool{"": true}
	for cursor := ""; ; {
		page, following, err := next(cursor)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(page, func(one *T) bool { return one == nil })...)
		if seen[following] || len(all) >= maxListed || len(seen) > maxPages {
			return all[:min(len(all), maxListed)], nil
		}
		seen[following] = true
		cursor = following
	}
}

func (r *remote) about() ServerInfo {
	result := r.InitializeResult()
	info := ServerInfo{Protocol: result.ProtocolVersion, Instructions: result.Instructions}
	if s := result.ServerInfo; s != nil {
		info.Name, info.Title, info.Version = s.Name, s.Title, s.Version
	}
	return info
}

func (r *remote) done() <-chan struct{} { return r.ended }

func (r *remote) why() error {
	if r.reason != nil {
		if err := r.reason(); err != nil {
			return err
		}
	}
	if r.endErr != nil {
		return r.endErr
	}
	return errors.New("the server closed the connection")
}

func (r *remote) close() {
	r.cancel()
	_ = r.ClientSession.Close()
	if r.release != nil {
		r.release()
	}
	r.running.Wait()
}
