package catalog

import (
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// server sets Binding.Base for operations that live elsewhere than the platform:
// those with servers of their own, and those of a document that says
// "x-mcp: {server: own}" at its top. The document's servers alone do not count,
// or a sandbox could not stand in for the platform that every document names.
func (o *operation) server() {
	switch {
	case o.src.credential() != "" && len(o.src.spec.Servers) > 0:
		// The deployment's credential goes to the one server that the operator named.
		o.tool.Binding.Base = o.serverURL(o.src.spec.Servers[0])
	case o.spec.Servers != nil && len(*o.spec.Servers) > 0:
		o.tool.Binding.Base = o.serverURL((*o.spec.Servers)[0])
	case len(o.item.Servers) > 0:
		o.tool.Binding.Base = o.serverURL(o.item.Servers[0])
	case o.src.ownServer() && len(o.src.spec.Servers) > 0:
		o.tool.Binding.Base = o.serverURL(o.src.spec.Servers[0])
	}
}

func (src *source) top() map[string]any {
	top, _ := src.spec.Extensions["x-mcp"].(map[string]any)
	return top
}

func (src *source) ownServer() bool { return src.top()["server"] == "own" }

func (src *source) credential() string {
	name, _ := src.top()["credential"].(string)
	return name
}

// foreign marks the tools of a document with a server of its own: the caller's
// credential is for the platform, and only what the document names goes elsewhere.
func (o *operation) foreign() {
	if !o.src.ownServer() {
		return
	}
	o.tool.Binding.Foreign = true
	o.tool.Binding.Credential = o.src.credential()
}

// topRules checks x-mcp at the top of a document.
func (src *source) topRules(found *faults) {
	if _, given := src.spec.Extensions["x-mcp"]; !given {
		return
	}
	top := src.top()
	credential, isText := top["credential"].(string)
	known := 1
	if _, given := top["credential"]; given {
		known++
	}
	if len(top) != known || top["server"] != "own" || known == 2 && (!isText || credential == "") {
		found.add(DocumentFault{File: src.file, Line: src.line("x-mcp"), Key: "x-mcp", Message: "at the top of a document only {server: own} is taken, with the name of a credential where one is needed"})
	} else if len(src.spec.Servers) == 0 {
		found.add(DocumentFault{File: src.file, Line: src.line("x-mcp"), Key: "x-mcp.server", Message: "own needs servers to name one"})
	}
}

// serverURL fills in the default of every variable.
func (o *operation) serverURL(server *openapi3.Server) string {
	out := server.URL
	for name, variable := range server.Variables {
		if variable != nil {
			out = strings.ReplaceAll(out, "{"+name+"}", variable.Default)
		}
	}
	out = strings.TrimSuffix(out, "/")
	if !strings.HasPrefix(out, "https://") && !strings.HasPrefix(out, "http://") || strings.ContainsAny(out, "{}") {
		o.complain(fmt.Sprintf("%q is no complete URL", server.URL), "servers")
		return ""
	}
	return out
}

// security chooses where the credential goes: the first way that one header or
// one query parameter can carry. A document that says nothing means the header.
func (o *operation) security() {
	requirements := o.src.spec.Security
	if o.spec.Security != nil {
		requirements = *o.spec.Security
	}
	if requirements == nil {
		o.tool.Binding.Auth = Auth{In: Header, Name: "Authorization"}
		return
	}
	if len(requirements) == 0 {
		return // security: [] asks for none
	}
	for _, r := range requirements {
		if len(r) == 0 {
			return
		}
		for name := range r {
			if auth, ok := o.scheme(name); ok && len(r) == 1 {
				o.tool.Binding.Auth = auth
				return
			}
		}
	}
	o.complain("no way of signing in that one header or query parameter can carry", "security")
}

func (o *operation) scheme(name string) (Auth, bool) {
	if o.src.spec.Components == nil {
		return Auth{}, false
	}
	ref := o.src.spec.Components.SecuritySchemes[name]
	if ref == nil || ref.Value == nil {
		return Auth{}, false
	}
	switch s := ref.Value; s.Type {
	case "apiKey":
		return Auth{In: In(s.In), Name: s.Name}, s.In == "header" || s.In == "query"
	case "http", "oauth2", "openIdConnect":
		return Auth{In: Header, Name: "Authorization"}, true
	}
	return Auth{}, false
}
