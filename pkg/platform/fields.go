package platform

import (
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// argumentOf names the argument that the platform complains about, in the words
// of the tool's own arguments: "modules.cache.enabled", "order[2]". "" where the
// platform does not say or the place is none of the tool's.
func argumentOf(r Request, e platformError) string {
	switch {
	case e.Source.Pointer != "":
		return pointed(r.Tool.Binding, e.Source.Pointer)
	case e.Source.Parameter != "":
		return parameterName(r.Tool, e.Source.Parameter)
	case e.Source.Header != "":
		return paramArg(r.Tool.Binding, e.Source.Header)
	}
	return ""
}

func parameterName(tool *catalog.Tool, name string) string {
	if list := tool.List; list != nil {
		switch name {
		case list.PageArg:
			return catalog.ArgPage
		case list.SizeArg:
			return catalog.ArgLimit
		}
	}
	return paramArg(tool.Binding, name)
}

func paramArg(binding *catalog.Binding, name string) string {
	i := slices.IndexFunc(binding.Params, func(p catalog.Param) bool { return strings.EqualFold(p.Name, name) })
	if i < 0 {
		return clean(name)
	}
	return binding.Params[i].Arg
}

// pointed turns a JSON pointer into an argument's path. Some platforms point into
// the body, some into the JSON:API document around it.
func pointed(binding *catalog.Binding, pointer string) string {
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, part := range parts {
		parts[i] = clean(strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
	}
	for _, wrapper := range []string{"data", "attributes"} {
		if len(parts) > 1 && parts[0] == wrapper && !hasField(binding.Body, wrapper) {
			parts = parts[1:]
		}
	}
	if binding.Body != nil && binding.Body.Whole != "" {
		parts = append([]string{binding.Body.Whole}, parts...)
	}
	var path strings.Builder
	for i, part := range parts {
		switch {
		case i > 0 && allDigits(part):
			path.WriteString("[" + part + "]")
		case i > 0 && part != "":
			path.WriteString("." + part)
		default:
			path.WriteString(part)
		}
	}
	return path.String()
}

func hasField(body *catalog.Body, name string) bool {
	return body != nil && slices.Contains(body.Fields, name)
}
