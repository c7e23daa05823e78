// Package host is the door of an area: HTTP, authentication of every request,
// MCP, profiles, and the order of the stages that a call goes through. It is
// the only package that knows go-sdk's server. What an area is stands in its
// Area value; what each stage does belongs to the stage's package.
package host

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// Area is what one host serves. It is a value: five of them differ in nothing else.
type Area struct {
	Name    string // "build"
	Title   string // "Build"
	Summary string // two sentences for the front page
	Version string // of the area's tools; what ping and /tools.json say
	Build   string // of the binary, for logs, metrics and traces; "": Version
	// Instructions tell a client of /mcp which tool comes before which.
	Instructions string
	Profiles     []Profile
	Documents    fs.FS // OpenAPI documents with x-mcp; nil: none
	Policy       []catalog.PolicyRow
	// Tools makes the hand-written tools of this area; nil: none.
	Tools func(Deps) ([]Tool, error)
	// Resources makes what resources/read serves beside what every host has; nil: none.
	Resources func(Deps) ([]Resource, error)
	Examples  []Example
	// MaxBody is the largest request body in bytes; 0 means 4 MiB (contract §2).
	MaxBody int64
	// Ready is a further readiness check, for what only this area needs; nil: none.
	Ready func(context.Context) error
	// Degraded tells on /readyz what works badly though the host serves; nil: nothing.
	Degraded func() map[string]string
	// Background runs beside the door until its context ends; nil: nothing does.
	Background func(context.Context)
	// Templates are the families that the area's resources belong to.
	Templates func(Deps) []Template
}

// Profile is a named subset of an area's tools, at /mcp/<Name>.
type Profile struct {
	Name         string
	Title        string
	Summary      string
	Instructions string
}

// Example is a request in a person's words and the tool that it leads to.
type Example struct {
	Ask  string
	Tool string
}

// Tool is a tool that can run.
type Tool struct {
	*catalog.Tool
	// Run does it; nil for a tool that is a platform request.
	Run call.Handler
	// Preview answers a dry run in Run's place. A hand-written tool that writes and
	// has none refuses dry runs.
	Preview call.Handler
}

// Resource is a text that resources/read gives.
type Resource struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string // "text/markdown"
	// Read makes the text when it is asked for. A problem's sentences go to the
	// caller, any other error only to the log.
	Read func(ctx context.Context, uri string) (string, error)
}

// Template is a family of resources. Its members are listed by Area.Resources.
type Template struct {
	URI         string // RFC 6570, such as azion://guides/{topic}
	Name        string
	Title       string
	Description string
	MIMEType    string
	// Complete gives the values that a variable of URI may have, given those that
	// are chosen already.
	Complete func(variable string, chosen map[string]string) []string
}

// Deps is what an area's own tools may use of its host.
type Deps struct {
	Platform Platform
	// Scheme is that of the resources: "azion" in azion://contexto-inicial.
	Scheme  string
	Audit   Audit
	Links   Links
	HTTP    *http.Client
	Metrics prometheus.Registerer
	Log     *slog.Logger
	Now     func() time.Time
	DataDir string // a folder of this area's own
	// Tools are the names of all tools that this host calls, once it is made.
	Tools func() []string
	// Objects opens an object store of bus's list.
	Objects func(ctx context.Context, name string) (jetstream.ObjectStore, error)
}
