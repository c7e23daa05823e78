package catalog

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/catalog/internal/shape"
)

// Limits of the common arguments (contract §5).
const (
	MaxWaitSeconds = 30
	MaxLimit       = 200
	DefaultLimit   = 50
	maxKey         = 255 // characters of an idempotency_key
	maxName        = 1024
)

// CommonArgs are the arguments that every tool of a sort has; they never reach
// the platform.
type CommonArgs struct {
	DryRun         bool
	IdempotencyKey string
	Confirmed      bool
	Confirmation   string
	CompanyID      int64 // 0: none
	WaitSeconds    int
	// Limit is as it was asked for, the nearest int of it; who lists clamps it and
	// says so. LimitAsked has every digit, and is "" where there is none.
	Limit      int
	LimitAsked json.Number
	Page       int    // from 1; 0: absent
	Part       string // ArgRange of a resource; "": all of it
}

// commonArg is one common argument: on which tools it is, and what it looks like.
type commonArg struct {
	name  string
	on    func(t *Tool) bool
	shape *shape.Shape
	brief string // what tools/list says of it; Guide says the rest, once
	take  func(c *CommonArgs, v any)
}

// commonArgs is the one list of them, in the order in which they are listed.
var commonArgs = []commonArg{
	{ArgLimit, func(t *Tool) bool { return t.List != nil },
		shape.NewInteger("How many to list; default 50.", 1, MaxLimit), "",
		func(c *CommonArgs, v any) {
			c.Limit = int(whole(v))
			c.LimitAsked, _ = v.(json.Number)
		}},
	{ArgPage, func(t *Tool) bool { return t.List != nil && t.List.PageArg != "" },
		shape.NewInteger("Which page of that size, from 1.", 1, 1<<31), "",
		func(c *CommonArgs, v any) { c.Page = int(whole(v)) }},
	{ArgRange, (*Tool).InParts,
		shape.NewMatching("Which part of a long text or list, as a cut answer names it: \"data.code 58000-\".", `^\S{1,200} [0-9]{1,15}-[0-9]{0,15}$`), "as a cut answer says",
		func(c *CommonArgs, v any) { c.Part, _ = v.(string) }},
	{ArgConfirmed, func(t *Tool) bool { return t.Confirm == ConfirmTrue },
		shape.NewBoolean("Must be true: the person agreed to this very call."), "",
		func(c *CommonArgs, v any) { c.Confirmed = v == true }},
	{ArgConfirmation, func(t *Tool) bool { return t.Confirm == ConfirmName },
		shape.NewText("The exact name of what is to be deleted or changed.", maxName), "its exact name",
		func(c *CommonArgs, v any) { c.Confirmation, _ = v.(string) }},
	{ArgIdempotencyKey, func(t *Tool) bool { return t.Writes() && (t.Creates || t.Operation != nil) },
		shape.NewText("Any unique text: repeating the call with it never does the work twice.", maxKey), "",
		func(c *CommonArgs, v any) { c.IdempotencyKey, _ = v.(string) }},
	{ArgDryRun, (*Tool).Writes,
		shape.NewBoolean("Show the platform request and change nothing."), "",
		func(c *CommonArgs, v any) { c.DryRun = v == true }},
	{ArgWait, func(t *Tool) bool { return t.Operation != nil },
		shape.NewInteger("Wait this long for the end, 0 to 30; default 0.", 0, MaxWaitSeconds), "0-30",
		func(c *CommonArgs, v any) { c.WaitSeconds = int(whole(v)) }},
	{ArgCompany, func(t *Tool) bool { return t.Company },
		shape.NewInteger("Which company, if you have several (listar_empresas).", 1, math.MaxInt64), "",
		func(c *CommonArgs, v any) { c.CompanyID = whole(v) }},
}

// told is the argument as this tool lists it.
func (a commonArg) told(t *Tool) *shape.Shape {
	if a.name == ArgConfirmed && t.Unless != nil {
		return shape.NewBoolean("true: the person agreed to this very call. Needed for every statement that is no read.")
	}
	return a.shape
}

// quiet reports that lists leave the argument out: an answer names it where it is of use.
func (a commonArg) quiet(t *Tool) bool { return a.name == ArgRange && !t.Long }

// commonNames are the common arguments that a tool takes.
func commonNames(t *Tool) []string {
	var out []string
	for _, a := range commonArgs {
		if a.on(t) {
			out = append(out, a.name)
		}
	}
	return out
}

// commonProps are the common arguments of a tool as properties of its input.
func commonProps(t *Tool) []shape.Prop {
	var out []shape.Prop
	for _, a := range commonArgs {
		if a.on(t) {
			out = append(out, shape.Prop{Name: a.name, Shape: a.told(t)})
		}
	}
	return out
}

// commonBriefs are the common arguments of a tool as tools/list shows them.
func commonBriefs(t *Tool) []shape.Prop {
	var out []shape.Prop
	for _, a := range commonArgs {
		if a.on(t) && !a.quiet(t) {
			out = append(out, shape.Prop{Name: a.name, Shape: a.shape.Briefly(a.brief)})
		}
	}
	return out
}

// SplitCommon takes the common arguments that t has out of args. own is a new
// map with the rest, for Check; a common argument that t does not have stays
// there, and Check refuses it by name. null means absent.
func SplitCommon(t *Tool, args map[string]any) (own map[string]any, common CommonArgs, faults []Fault) {
	own = make(map[string]any, len(args))
	for name, value := range args {
		own[name] = value
	}
	for _, a := range commonArgs {
		value, given := own[a.name]
		if given && !a.on(t) {
			if hint := otherConfirmation(t, a.name); hint.Path != "" {
				delete(own, a.name)
				faults = append(faults, hint)
			}
			continue
		}
		if !given {
			continue
		}
		delete(own, a.name)
		if value == nil {
			continue
		}
		clean, wrongs := a.limits().Check(value)
		for _, w := range wrongs {
			faults = append(faults, Fault{Path: a.name, Message: w.Message, Allowed: w.Allowed, Said: w.Said})
		}
		if len(wrongs) == 0 {
			a.take(&common, clean)
		}
	}
	slices.SortFunc(faults, func(a, b Fault) int { return compareText(a.Path, b.Path) })
	return own, common, faults
}

// otherConfirmation says which confirmation the tool takes when it was given the
// other one; nothing where the name is no confirmation or the tool takes none.
func otherConfirmation(t *Tool, name string) Fault {
	switch {
	case name == ArgConfirmed && t.Confirm == ConfirmName:
		return fault(name, "is not how this tool is confirmed: send %s with the exact name of the resource", ArgConfirmation)
	case name == ArgConfirmation && t.Confirm == ConfirmTrue:
		return fault(name, "is not how this tool is confirmed: send %s: true", ArgConfirmed)
	}
	return Fault{}
}

// limits is what is checked: any limit is taken, since it is clamped later.
func (a commonArg) limits() *shape.Shape {
	if a.name == ArgLimit {
		return anyLimit
	}
	return a.shape
}

var anyLimit = shape.NewInteger("", math.MinInt64, math.MaxInt64)
