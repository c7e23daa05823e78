package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// rules is x-mcp of one operation as written: what OpenAPI cannot say.
type rules struct {
	title       string
	profiles    []string
	effect      Effect
	idempotent  *bool
	openWorld   bool
	root        rootRule
	every       []string
	confirm     *Confirm
	approval    Approval
	find        *Find
	operation   *Operation
	noOperation bool
	retrieve    *string
	limits      []string
	untrusted   []string
	secrets     []string
	shownOnce   []string
	admin       bool
	never       string
	contentType string
	unless      *Unless
	command     bool
	long        bool
}

// rootRule is "application", or {kind, arg, field} where the names do not tell.
type rootRule struct{ kind, arg, field string }

// ruleReaders reads one key of x-mcp each. The result is what is wrong; "" if
// nothing. A new key is one more row.
var ruleReaders = map[string]func(r *rules, v any) string{
	"title":        func(r *rules, v any) string { return text(v, &r.title) },
	"profiles":     func(r *rules, v any) string { return textList(v, &r.profiles) },
	"effect":       readEffect,
	"idempotent":   func(r *rules, v any) string { r.idempotent = new(bool); return boolean(v, r.idempotent) },
	"open_world":   func(r *rules, v any) string { return boolean(v, &r.openWorld) },
	"root":         readRoot,
	"every":        func(r *rules, v any) string { return textList(v, &r.every) },
	"confirm":      readConfirm,
	"approval":     readApproval,
	"find":         readFind,
	"operation":    readOperation,
	"retrieve":     func(r *rules, v any) string { r.retrieve = new(string); return text(v, r.retrieve) },
	"limits":       func(r *rules, v any) string { return textList(v, &r.limits) },
	"untrusted":    func(r *rules, v any) string { return textList(v, &r.untrusted) },
	"secrets":      func(r *rules, v any) string { return textList(v, &r.secrets) },
	"shown_once":   func(r *rules, v any) string { return textList(v, &r.shownOnce) },
	"admin":        func(r *rules, v any) string { return boolean(v, &r.admin) },
	"never":        func(r *rules, v any) string { return text(v, &r.never) },
	"command":      func(r *rules, v any) string { return boolean(v, &r.command) },
	"long":         func(r *rules, v any) string { return boolean(v, &r.long) },
	"content_type": func(r *rules, v any) string { return text(v, &r.contentType) },
}

// readRules reads x-mcp strictly; complain gets every key that is wrong.
func readRules(v any, complain func(key, message string)) rules {
	var r rules
	written, ok := v.(map[string]any)
	if v == nil || !ok {
		complain("", "is missing: say at least the effect (read, write or destructive)")
		return r
	}
	for _, key := range sortedNames(written) {
		read, known := ruleReaders[key]
		if !known {
			complain(key, "unknown key; known are "+strings.Join(sortedNames(ruleReaders), ", "))
			continue
		}
		if wrong := read(&r, written[key]); wrong != "" {
			complain(key, wrong)
		}
	}
	if _, said := written["effect"]; !said {
		complain("effect", "is missing: read, write or destructive")
	}
	return r
}

func readEffect(r *rules, v any) string {
	return oneOf(v, (*string)(&r.effect), string(Read), string(Write), string(Destructive))
}

func readApproval(r *rules, v any) string {
	return oneOf(v, (*string)(&r.approval), string(HumanApproval))
}

func readConfirm(r *rules, v any) string {
	r.confirm = new(Confirm)
	if rule, ok := v.(map[string]any); ok {
		*r.confirm, r.unless = ConfirmTrue, &Unless{}
		return members(rule, map[string]func(any) string{
			"unless": func(v any) string { return oneOf(v, &r.unless.Rule, SQLRead) },
			"arg":    func(v any) string { return text(v, &r.unless.Arg) },
		})
	}
	switch v {
	case "name":
		*r.confirm = ConfirmName
	case true, "true":
		*r.confirm = ConfirmTrue
	case false:
		*r.confirm = NoConfirm
	default:
		return "must be name, true, false or {unless, arg}"
	}
	return ""
}

func readRoot(r *rules, v any) string {
	if _, short := v.(string); short {
		return text(v, &r.root.kind)
	}
	return members(v, map[string]func(any) string{
		"kind":  func(v any) string { return text(v, &r.root.kind) },
		"arg":   func(v any) string { return text(v, &r.root.arg) },
		"field": func(v any) string { return text(v, &r.root.field) },
	})
}

func readFind(r *rules, v any) string {
	r.find = &Find{}
	return members(v, map[string]func(any) string{
		"list":   func(v any) string { return text(v, &r.find.List) },
		"by":     func(v any) string { return readMatches(v, &r.find.By) },
		"filter": func(v any) string { return text(v, &r.find.Filter) },
	})
}

// readMatches takes a field, a list of fields that the arguments are called as
// well, or a mapping of arguments to fields.
func readMatches(v any, into *[]Match) string {
	if named, ok := v.(map[string]any); ok {
		for _, arg := range sortedNames(named) {
			match := Match{Arg: arg}
			if wrong := text(named[arg], &match.Field); wrong != "" {
				return wrong
			}
			*into = append(*into, match)
		}
		return ""
	}
	if one, ok := v.(string); ok {
		v = []any{one}
	}
	var fields []string
	if wrong := textList(v, &fields); wrong != "" {
		return wrong
	}
	for _, field := range fields {
		*into = append(*into, Match{Arg: field, Field: field})
	}
	return ""
}

// readOperation takes {probe, until}, {} (the probe follows from the paths), true, and
// false for an operation that answers 202 and yet is done.
func readOperation(r *rules, v any) string {
	if said, ok := v.(bool); ok {
		r.noOperation = !said
		if said {
			r.operation = &Operation{}
		}
		return ""
	}
	r.operation = &Operation{}
	return members(v, map[string]func(any) string{
		"probe": func(v any) string { return text(v, &r.operation.Probe) },
		"until": func(v any) string { return readUntil(v, r.operation) },
	})
}

func readUntil(v any, into *Operation) string {
	into.Until = &Until{}
	return members(v, map[string]func(any) string{
		"field":  func(v any) string { return text(v, &into.Until.Field) },
		"ok":     func(v any) string { return textList(v, &into.Until.OK) },
		"failed": func(v any) string { return textList(v, &into.Until.Failed) },
	})
}

func members(v any, read map[string]func(any) string) string {
	written, ok := v.(map[string]any)
	if !ok {
		return fmt.Sprintf("must be a mapping of %s", strings.Join(sortedNames(read), ", "))
	}
	for _, key := range sortedNames(written) {
		one, known := read[key]
		if !known {
			return fmt.Sprintf("unknown key %s; known are %s", key, strings.Join(sortedNames(read), ", "))
		}
		if wrong := one(written[key]); wrong != "" {
			return key + " " + wrong
		}
	}
	return ""
}

func oneOf(v any, into *string, allowed ...string) string {
	if word, ok := v.(string); ok && slices.Contains(allowed, word) {
		*into = word
		return ""
	}
	return "must be " + strings.Join(allowed, " or ")
}

func text(v any, into *string) string {
	word, ok := v.(string)
	if !ok || strings.TrimSpace(word) == "" {
		return "must be a text"
	}
	*into = strings.TrimSpace(word)
	return ""
}

func boolean(v any, into *bool) string {
	said, ok := v.(bool)
	if !ok {
		return "must be true or false"
	}
	*into = said
	return ""
}

func textList(v any, into *[]string) string {
	items, ok := v.([]any)
	if !ok {
		return "must be a list of texts"
	}
	for _, item := range items {
		var one string
		if wrong := text(item, &one); wrong != "" {
			return "must be a list of texts"
		}
		if slices.Contains(*into, one) {
			return one + " is said twice"
		}
		*into = append(*into, one)
	}
	return ""
}
