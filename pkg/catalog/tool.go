package catalog

import "github.com/comporta-mcp/comporta/pkg/problem"

// Effect is what a tool does to the platform.
type Effect string

const (
	Read        Effect = "read"
	Write       Effect = "write"
	Destructive Effect = "destructive" // also the default where a document is silent
)

// Confirm is how a sensitive call must be confirmed.
type Confirm string

const (
	NoConfirm   Confirm = ""
	ConfirmTrue Confirm = "true" // confirmado: true
	ConfirmName Confirm = "name" // confirmacion: "<exact name>"
)

// Approval is who must agree to a call beside the agent.
type Approval string

const (
	NoApproval    Approval = ""
	HumanApproval Approval = "human"
)

// Tool is one tool as data. It is read-only once the catalogue is loaded.
type Tool struct {
	Name        string
	Title       string
	Description string // for an agent deciding which tool to call
	Area        string
	Profiles    []string // the profiles that have it; common tools are in all
	Effect      Effect
	Idempotent  bool // repeating it with the same arguments changes nothing more
	OpenWorld   bool // it reaches beyond the platform

	// Root is the kind of approved resource that RootArg names ("application",
	// "application_id"). On a list or a create of roots, RootArg is "".
	Root    string
	RootArg string
	// RootField is the field of a listed or created root that holds its id.
	RootField string

	// Refs are the other root resources that the arguments name.
	Refs []Ref
	// Every are the kinds of root resources of which each call reaches all, whatever
	// it names; EveryKind stands for all kinds.
	Every []string

	Confirm Confirm
	// Unless says which calls need no confirmation after all; nil: none.
	Unless    *Unless
	Approval  Approval
	Creates   bool // it makes something new, so it takes idempotency_key
	Find      *Find
	Operation *Operation
	// Retrieve is the tool that reads the very resource this one changes; "" where there is none.
	Retrieve string
	Limits   []string
	// Untrusted and Secrets are paths into the answer and the arguments:
	// "data.name", "results[].code", "data.*".
	Untrusted []string
	Secrets   []string
	// Addresses are paths to URLs, in which whatever looks like a credential is masked.
	Addresses []string
	// ShownOnce are those paths into the answer where the platform shows a secret
	// this one time: it is kept for the person. Each is among Secrets, too.
	ShownOnce []string
	Admin     bool
	// Command says that the caller's own commands run (contract §8): the tool takes
	// ArgPatience, and its output is cut earlier than other answers.
	Command bool
	// Long says that the resource is often longer than an answer may be, so that
	// lists tell ArgRange.
	Long  bool
	Never string // why no agent may call it; such a tool is listed only under never
	// Company says that it acts in one of the caller's companies, so that it takes
	// empresa_id: every tool of a document, and hand-written ones that say so.
	Company bool

	Input  *Schema
	Output *Schema // nil: not declared
	List   *List   // nil: not a list
	// Narrowed says that a hand-written tool's optional arguments narrow what it
	// lists, so that they go into ArgFilter as those of a document's list do.
	Narrowed bool
	// Told are arguments of a hand-written tool of which another tool of the same
	// profiles says in a list what they take, with what is said here instead.
	Told map[string]string
	// Binding is how it becomes a platform request; nil for tools written by hand.
	Binding *Binding
}

// Writes reports whether the tool changes the platform.
func (t *Tool) Writes() bool { return t.Effect != Read }

// Find is how to see afterwards whether a write that creates something took effect.
type Find struct {
	List string  // the list tool to ask
	By   []Match // what identifies the resource; the first one also narrows the list
	// Filter is the query parameter of List that takes the first value; else the
	// one that is called as the first field, if there is one.
	Filter string
}

// Match is an argument and the field of a listed resource that has its value.
type Match struct{ Arg, Field string }

// Operation marks a tool whose work may outlive the call.
type Operation struct {
	Probe string // the tool that shows whether the resource is ready; "" where the answer is the end
	Until *Until // what the resource must show to be ready; nil: that the platform is done with it
}

// EveryKind stands for every kind of root resource: in Tool.Every, and in
// Ref.Kind where a value of the arguments opens all of them.
const EveryKind = "*"

// Ref is a place of the arguments whose value is the id of a root resource:
// "function", "behaviors[].attributes.value".
type Ref struct {
	Path string
	Kind string
	// Field and Values say when it is one: only where the nearest object around it
	// that has Field holds one of Values there. "" : always.
	Field  string
	Values []string
	// All: where none is given, the call reaches all of the kind.
	All bool
}

// Until is the end of an operation, told by a field of the resource.
type Until struct {
	Field  string   // path into the answer: "data.status"
	OK     []string // values with which it is done
	Failed []string // values with which it will never be
}

// Unless is a rule by which a sensitive tool's call is harmless after all.
type Unless struct {
	Rule string // SQLRead
	Arg  string // the argument it looks at
}

// SQLRead is the rule that every SQL statement of the argument only reads.
const SQLRead = "sql-read"

// List is how a list tool's answer is laid out on the platform's side.
type List struct {
	Key      string // "results"
	TotalKey string // "count"
	PageArg  string // query parameter of the page number, from 1
	TokenArg string // query parameter, and field of the answer, of what follows the last element
	SizeArg  string // query parameter of the page size
	MaxSize  int    // the platform's largest page
}

// In is where an argument goes in the platform request.
type In string

const (
	Path   In = "path"
	Query  In = "query"
	Header In = "header"
)

// Binding is how a tool's arguments become a platform request.
type Binding struct {
	Method string // GET, POST, PUT, PATCH, DELETE
	Path   string // "/workspace/applications/{application_id}"
	Params []Param
	Body   *Body // nil: no body
	// Accepts is the media type of a good answer, "application/json" nearly always.
	Accepts string
	// Content says that a good answer is bytes, whatever type the platform gives
	// them. A GET then takes ArgRange.
	Content bool
	// Auth is how the platform wants the credential, from the document's security schemes.
	Auth Auth
	// Base replaces the platform's base URL, for documents of other APIs; "" otherwise.
	Base string
	// Foreign says that another API than the platform answers: the caller's
	// credential is never sent there.
	Foreign bool
	// Credential names the deployment's own credential for a foreign API; "": none.
	Credential string
}

// Auth is where the credential goes: {Header, "Authorization"} nearly always.
type Auth struct {
	In   In
	Name string
}

// Param is one argument outside the body.
type Param struct {
	Arg      string // its name in the flat input
	Name     string // its name on the wire
	In       In
	Required bool
	Style    string // OpenAPI style: simple, form, pipeDelimited, spaceDelimited, deepObject
	Explode  bool
}

// Body is how the request's body is made.
type Body struct {
	MediaType string
	Required  bool
	// Whole is the argument that is the body ("body"); "" when the body's fields are arguments.
	Whole string
	// Fields are the arguments that are fields of the body.
	Fields []string
	// Deep are the fields of a form that stand as name[key]=value, since its
	// encoding says deepObject; what is inside any other field is JSON.
	Deep []string
	// Bytes says that Whole is bytes, which ArgEncoding tells how to read.
	Bytes bool
	// TypeArg is the argument that names the media type of these very bytes; "" where none does.
	TypeArg string
}

// Fault is one wrong argument.
type Fault struct {
	Path    string           // "modules.cache.enabled", "order[2]"
	Message string           // what is wrong, and what is allowed
	Allowed []any            // allowed values, where they can be listed
	Said    problem.Sentence // Message, for other languages
}

// fault is one that this package finds by itself.
func fault(path, format string, args ...any) Fault {
	said := problem.Sentence{Format: format, Args: args}
	return Fault{Path: path, Message: said.String(), Said: said}
}

// Names of the common arguments (contract §5).
const (
	ArgDryRun         = "dry_run"
	ArgIdempotencyKey = "idempotency_key"
	ArgConfirmed      = "confirmado"
	ArgConfirmation   = "confirmacion"
	ArgCompany        = "empresa_id"
	ArgWait           = "esperar_segundos"
	ArgLimit          = "limit"
	ArgPage           = "page"
	// ArgFilter holds the filters of a list. Each is taken beside it as well.
	ArgFilter = "filter"
)

// Names of the arguments that documents of bytes get beside their own. They are
// part of what a call asks for, so idempotency compares them.
const (
	ArgEncoding = "codificacion" // how the body is written down
	ArgRange    = "rango"        // which bytes of the answer, or which part of a long text or list in it
)

// ArgPatience is how long a command may run, in whole seconds (contract §8).
const (
	ArgPatience     = "espera"
	MinPatience     = 10
	MaxPatience     = 300
	DefaultPatience = 30
)
