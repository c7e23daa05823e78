package answer

import (
	"maps"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	credentials "github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

// Redacted stands in place of a secret.
const Redacted = "[redacted]"

// Mask gives a deep copy of v in which every value that one of the paths names
// is replaced. A null or an empty text tells nothing and stays.
func Mask(paths []string, v any) any {
	v = clone(v)
	for _, p := range paths {
		v = edit(v, parsePath(p), mask)
	}
	return v
}

// MaskArguments is Mask for the arguments of a tool.
func MaskArguments(t *catalog.Tool, args map[string]any) map[string]any {
	masked, _ := maskAddresses(t, Mask(t.Secrets, args)).(map[string]any)
	return masked
}

// maskAddresses hides what looks like a credential in the URLs of v.
func maskAddresses(t *catalog.Tool, v any) any {
	for _, path := range t.Addresses {
		v = edit(v, parsePath(path), func(v any) any {
			if address, ok := v.(string); ok {
				return credentials.URL(address)
			}
			return v
		})
	}
	return v
}

// mask keeps the shape of objects and lists and replaces every leaf.
func mask(v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		if v == "" {
			return v
		}
		return Redacted
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[key] = mask(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = mask(element)
		}
		return out
	default:
		return Redacted
	}
}

// SplitSecrets parts a tool's arguments: those that hold a secret anywhere
// inside go whole into secret, the others into public.
func SplitSecrets(t *catalog.Tool, args map[string]any) (public, secret map[string]any) {
	public, secret = maps.Clone(args), map[string]any{}
	for _, text := range t.Secrets {
		p := parsePath(text)
		if len(p) == 0 {
			continue
		}
		for key, value := range args {
			if p[0] != key && p[0] != everyValue {
				continue
			}
			found := false
			edit(value, p[1:], func(v any) any { found = true; return v })
			if found {
				secret[key] = value
				delete(public, key)
			}
		}
	}
	return public, secret
}

// StandIns gives the paths of secrets whose value is Redacted: what an answer
// showed in their place was sent back, and would overwrite the real ones.
func StandIns(t *catalog.Tool, args map[string]any) []string {
	var found []string
	for _, path := range t.Secrets {
		here := false
		edit(args, parsePath(path), func(v any) any {
			here = here || holdsStandIn(v)
			return v
		})
		if here {
			found = append(found, path)
		}
	}
	for _, path := range t.Addresses {
		edit(args, parsePath(path), func(v any) any {
			if address, ok := v.(string); ok && strings.Contains(address, Redacted) && !slices.Contains(found, path) {
				found = append(found, path)
			}
			return v
		})
	}
	return found
}

// SecretTexts gives every text in the arguments that stands where t has a secret.
func SecretTexts(t *catalog.Tool, args map[string]any) []string {
	var found []string
	for _, path := range t.Secrets {
		edit(args, parsePath(path), func(v any) any {
			found = texts(v, found)
			return v
		})
	}
	return found
}

func texts(v any, found []string) []string {
	switch v := v.(type) {
	case string:
		if v != "" {
			found = append(found, v)
		}
	case map[string]any:
		for _, value := range v {
			found = texts(value, found)
		}
	case []any:
		for _, element := range v {
			found = texts(element, found)
		}
	}
	return found
}

func holdsStandIn(v any) bool {
	switch v := v.(type) {
	case string:
		return v == Redacted
	case map[string]any:
		for _, value := range v {
			if holdsStandIn(value) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, holdsStandIn)
	}
	return false
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[key] = clone(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = clone(element)
		}
		return out
	default:
		return v
	}
}
