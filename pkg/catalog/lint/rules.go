package lint

import "fmt"

// Rule is one thing that a client asks of tools. The numbers and forms are those
// that the clients' own errors name.
type Rule struct {
	Name   string
	Client string // who asks for it; "all" where nobody bears it
	Why    string
	Warns  bool // the client still works, though not as well

	inputOnly bool
	list      func(List, say)
	tool      func(server string, t Tool, say say)
	node      func(p place, schema map[string]any, say say)
	any       func(node any, say say)
}

type say func(format string, args ...any)

func (r Rule) finding(tool, where, format string, args ...any) Finding {
	return Finding{
		Rule: r.Name, Client: r.Client, Why: r.Why, Warning: r.Warns,
		Tool: tool, Where: where, Message: fmt.Sprintf(format, args...),
	}
}

// Rules is every rule, in the order in which they are applied. A new client's
// demand is one more row.
var Rules = []Rule{
	{Name: "name-unique", Client: "all", Why: "a second tool of a name is never called", list: uniqueNames},
	{Name: "tool-count", Client: "Cursor", Why: "it sends the first 40 tools of all servers together and drops the rest", Warns: true, list: atMost(40)},
	{Name: "tool-count-128", Client: "VS Code, OpenAI", Why: "a request takes 128 tools", Warns: true, list: atMost(128)},

	{Name: "name-form", Client: "OpenAI, Claude", Why: "a function's name matches ^[a-zA-Z0-9_-]{1,64}$, and one that does not fails the whole request", tool: nameForm},
	{Name: "name-start", Client: "Gemini", Why: "a function's name begins with a letter or an underscore", tool: nameStart},
	{Name: "name-prefixed", Client: "Claude Code, Codex", Why: "tools are called mcp__<server>__<tool>, in 64 characters", tool: namePrefixed},
	{Name: "name-combined", Client: "Cursor", Why: "server and tool name together stay below 60 characters, or the tool is left out", tool: nameCombined},
	{Name: "title", Client: "Claude", Why: "people are asked for permission by the title", tool: titled},
	{Name: "hints", Client: "Claude, ChatGPT", Why: "a missing hint is taken for the worst", tool: hinted},
	{Name: "description", Client: "all", Why: "models choose by the description", tool: described},
	{Name: "description-length", Client: "OpenAI", Why: "a function's description has at most 1024 characters", tool: descriptionLength},

	{Name: "no-boolean-schema", Client: "OpenCode, Fireworks", Why: "true or null in place of a schema fails the whole server", any: isSchema},
	{Name: "root-object", Client: "all", Why: "arguments are an object", node: rootObject},
	{Name: "root-plain", Client: "Claude, OpenAI", Why: "no oneOf, anyOf, allOf, not, enum, const or if at the root", node: rootPlain},
	{Name: "no-reference", Client: "Claude, Gemini, Copilot", Why: "references are refused or not resolved", node: lacks("$ref", "$defs", "$id", "$anchor", "definitions", "components")},
	{Name: "no-openapi", Client: "all", Why: "these are OpenAPI's words, not JSON Schema's", node: lacks("nullable", "discriminator", "xml", "externalDocs")},
	{Name: "one-type", Client: "Gemini, Copilot", Why: "type is one word", node: oneType},
	{Name: "typed", Client: "Gemini", Why: "a schema without a type is refused where the API is spoken directly", Warns: true, inputOnly: true, node: typed},
	{Name: "array-items", Client: "VS Code, OpenAI", Why: "an array says what its items are", node: arrayItems},
	{Name: "object-properties", Client: "OpenAI", Why: "an object has properties, if only {}", node: objectProperties},
	{Name: "property-name", Client: "Claude", Why: "names match ^[a-zA-Z0-9_.-]{1,64}$, at every depth", node: propertyNames},
	{Name: "required-known", Client: "OpenAI, Gemini", Why: "what is required must be a property", node: requiredKnown},
	{Name: "enum-full", Client: "Gemini, OpenAI", Why: "an enum has values, none twice and no empty text", node: enumFull},
	{Name: "enum-text", Client: "Gemini", Why: "only texts may be enumerated", inputOnly: true, node: enumText},
	{Name: "format", Client: "Gemini", Why: "a text's format is date-time or enum", inputOnly: true, node: knownFormat},
	{Name: "keyword", Client: "Gemini, OpenAI", Why: "these words are refused or not understood", inputOnly: true,
		node: lacks("not", "if", "then", "else", "prefixItems", "patternProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems",
			"dependentRequired", "dependentSchemas", "contains", "contentMediaType", "contentEncoding")},
	{Name: "depth", Client: "OpenAI", Why: "strict functions nest at most 10 levels", Warns: true, inputOnly: true, node: atMostDeep},
	{Name: "properties", Client: "OpenAI", Why: "models get lost among more than 100 properties of one object", Warns: true, inputOnly: true, node: atMostWide},
}
