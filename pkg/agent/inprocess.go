package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server is a server in this process: typed Go functions as tools, without any
// protocol in between. It is a [Transport]; several Managers may use one.
//
//	clock := agent.NewServer("clock", "1.0")
//	agent.AddTool(clock, agent.Tool{Name: "now", Description: "The time.", ReadOnly: true}, now)
//	err := m.Connect(ctx, agent.Servers{"clock": {Transport: clock}})
type Server struct {
	info ServerInfo

	mu        sync.RWMutex
	functions map[string]function
	pages     map[string]page
}

// function is a tool of this process.
type function struct {
	tool *mcp.Tool
	call func(ctx context.Context, args json.RawMessage) (*mcp.CallToolResult, error)
}

// page is a resource of this process.
type page struct {
	about *mcp.Resource
	text  func(ctx context.Context) (string, error)
}

// NewServer makes a server without tools.
func NewServer(name, version string) *Server {
	return &Server{info: ServerInfo{Name: name, Version: version}, functions: map[string]function{}, pages: map[string]page{}}
}

// AddTool adds a function as a tool. Of about it takes Name, Title, Description
// and the hints. The input schema is made from In, a struct (tags: json,
// jsonschema for the description); arguments that do not fit it do not reach f. Out
// is answered as JSON, a string as it is. An error of f is told to the model in
// its own words.
//
// f works in the caller's goroutine and has to heed ctx. AddTool panics where In
// is no struct that has a schema: that is a fault of the program.
func AddTool[In, Out any](s *Server, about Tool, f func(context.Context, In) (Out, error)) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("agent: tool %s: %v", about.Name, err))
	}
	resolved, err := schema.Resolve(nil)
	if err != nil || schema.Type != "object" {
		panic(fmt.Sprintf("agent: tool %s: its input is no struct (%v)", about.Name, err))
	}
	tool := &mcp.Tool{
		Name: about.Name, Title: about.Title, Description: about.Description, InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: about.ReadOnly, DestructiveHint: &about.Destructive, IdempotentHint: about.Idempotent},
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.functions[about.Name] = function{tool, func(ctx context.Context, args json.RawMessage) (*mcp.CallToolResult, error) {
		var in In
		if err := decodeArguments(resolved, args, &in); err != nil {
			return failure(err), nil
		}
		out, err := guarded(ctx, f, in)
		if err != nil {
			return failure(err), nil
		}
		return success(out)
	}}
}

// AddResource adds a text that the agent can read.
func (s *Server) AddResource(about mcp.Resource, text func(context.Context) (string, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[about.URI] = page{&about, text}
}

// ReportProgress tells the caller of the tool that runs in ctx how far it is.
func ReportProgress(ctx context.Context, p Progress) {
	if told, ok := ctx.Value(progressKey{}).(func(Progress)); ok && told != nil {
		told(p)
	}
}

type progressKey struct{}

func decodeArguments(schema *jsonschema.Resolved, args json.RawMessage, into any) error {
	var value map[string]any
	if err := json.Unmarshal(args, &value); err != nil {
		return err
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("the arguments do not fit: %w", err)
	}
	return json.Unmarshal(args, into)
}

// guarded keeps a panic of one tool or resource from ending the agent.
func guarded[In, Out any](ctx context.Context, f func(context.Context, In) (Out, error), in In) (out Out, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panicked: %v", r)
		}
	}()
	return f(ctx, in)
}

func success(out any) (*mcp.CallToolResult, error) {
	if text, ok := out.(string); ok {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("the tool's answer: %w", err)
	}
	return &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: string(raw)}}, StructuredContent: json.RawMessage(raw),
	}, nil
}

func failure(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}
}

// dialer makes a Server a Transport.
func (s *Server) dialer(string, *Options) (dialer, error) {
	return dialFunc(func(ctx context.Context, _ events) (session, error) {
		life, cancel := context.WithCancel(context.WithoutCancel(ctx))
		return &inProcess{server: s, life: life, cancel: cancel}, nil
	}), nil
}

// inProcess is a session with a Server.
type inProcess struct {
	server *Server
	life   context.Context // ends at close, and with it the calls
	cancel context.CancelFunc
}

func (p *inProcess) call(ctx context.Context, tool string, args json.RawMessage, progress func(Progress)) (*mcp.CallToolResult, error) {
	p.server.mu.RLock()
	f, ok := p.server.functions[tool]
	p.server.mu.RUnlock()
	if !ok {
		return nil, fmt.Errorf("unknown tool %q", tool)
	}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, progressKey{}, progress))
	defer cancel()
	defer context.AfterFunc(p.life, cancel)()
	return f.call(ctx, args)
}

func (p *inProcess) tools(context.Context) ([]*mcp.Tool, error) {
	p.server.mu.RLock()
	defer p.server.mu.RUnlock()
	var all []*mcp.Tool
	for _, name := range slices.Sorted(maps.Keys(p.server.functions)) {
		all = append(all, p.server.functions[name].tool)
	}
	return all, nil
}

func (p *inProcess) resources(context.Context) ([]*mcp.Resource, error) {
	p.server.mu.RLock()
	defer p.server.mu.RUnlock()
	var all []*mcp.Resource
	for _, uri := range slices.Sorted(maps.Keys(p.server.pages)) {
		all = append(all, p.server.pages[uri].about)
	}
	return all, nil
}

func (p *inProcess) read(ctx context.Context, uri string) ([]*mcp.ResourceContents, error) {
	p.server.mu.RLock()
	found, ok := p.server.pages[uri]
	p.server.mu.RUnlock()
	if !ok {
		return nil, fmt.Errorf("unknown resource %q", uri)
	}
	text, err := guarded(ctx, func(ctx context.Context, _ struct{}) (string, error) { return found.text(ctx) }, struct{}{})
	if err != nil {
		return nil, err
	}
	return []*mcp.ResourceContents{{URI: uri, MIMEType: found.about.MIMEType, Text: text}}, nil
}

func (p *inProcess) about() ServerInfo     { return p.server.info }
func (p *inProcess) done() <-chan struct{} { return p.life.Done() }
func (p *inProcess) why() error            { return errors.New("the connection was closed") }
func (p *inProcess) close()                { p.cancel() }
