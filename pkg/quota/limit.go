package quota

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
)

// Per is whom a limit counts.
type Per string

const (
	PerLink    Per = "link"
	PerCompany Per = "company"
	PerArg     Per = "arg" // each value of an argument, or of several, within a company
)

// Names of the limits that every host has; the others are named by tools (x-mcp limits).
const (
	Calls    = "calls"    // tools/call
	Requests = "requests" // every other MCP request
	Ping     = "ping"     // ping without an Authorization header, per address
)

// Limit is a number of calls in any window of time.
type Limit struct {
	Name   string
	Count  int           `help:"calls"`
	Window time.Duration `help:"in any window of this length"`
	Per    Per           `help:"link, company or arg"`
	Arg    string        `help:"with per arg: the argument's name; several with commas between them"`
	// Each counts the SQL statements of an argument instead of calls.
	Each string `help:"the argument whose SQL statements count one each; empty: a call counts one"`
}

// Bounds of what an operator may set: the record of a subject holds Count times
// of 8 bytes, and its bucket forgets it after 2 h.
const (
	maxCount  = 1000
	maxWindow = 2 * time.Hour
)

// String says the limit to who must keep it: "At most 10 calls a minute per company."
func (l Limit) String() string {
	window := "in any " + l.Window.String()
	switch l.Window {
	case time.Second:
		window = "a second"
	case time.Minute:
		window = "a minute"
	case time.Hour:
		window = "an hour"
	}
	whom := string(l.Per)
	if l.Per == PerArg {
		whom = strings.ReplaceAll(l.Arg, ",", " and ")
	}
	calls := "calls"
	switch {
	case l.Each != "":
		calls = "statements"
	case l.Count == 1:
		calls = "call"
	}
	return fmt.Sprintf("At most %d %s %s per %s.", l.Count, calls, window, whom)
}

// Validate lists all faults.
func (l Limit) Validate() error {
	var faults []error
	if l.Count < 1 || l.Count > maxCount {
		faults = append(faults, fmt.Errorf("limit %s: count must be 1 to %d", l.Name, maxCount))
	}
	if l.Window <= 0 || l.Window > maxWindow {
		faults = append(faults, fmt.Errorf("limit %s: window must be above 0 and at most %s", l.Name, maxWindow))
	}
	switch {
	case l.Per != PerLink && l.Per != PerCompany && l.Per != PerArg:
		faults = append(faults, fmt.Errorf("limit %s: per must be link, company or arg", l.Name))
	case (l.Per == PerArg) != (l.Arg != ""):
		faults = append(faults, fmt.Errorf("limit %s: arg belongs to per arg", l.Name))
	}
	return errors.Join(faults...)
}

// Defaults are the limits of contract §8 (and §3 for ping), by name.
func Defaults() map[string]Limit {
	return map[string]Limit{
		Calls:          {Name: Calls, Count: 10, Window: time.Second, Per: PerLink},
		Requests:       {Name: Requests, Count: 50, Window: time.Second, Per: PerLink},
		Ping:           {Name: Ping, Count: 10, Window: time.Second, Per: PerLink},
		"dns":          {Name: "dns", Count: 10, Window: time.Minute, Per: PerCompany},
		"sql":          {Name: "sql", Count: 10, Window: time.Second, Per: PerArg, Arg: "database_id", Each: "statements"},
		"certificates": {Name: "certificates", Count: 1, Window: time.Hour, Per: PerArg, Arg: "common_name,alternative_names"},
	}
}

// Changed gives limits with what an operator set laid over them; a field that is
// zero keeps its value. An unknown name makes a new limit.
func Changed(limits, changes map[string]Limit) (map[string]Limit, error) {
	out := maps.Clone(limits)
	var faults []error
	for name, change := range changes {
		l := out[name]
		l.Name = name
		if change.Count != 0 {
			l.Count = change.Count
		}
		if change.Window != 0 {
			l.Window = change.Window
		}
		if change.Per != "" {
			l.Per, l.Arg = change.Per, ""
		}
		if change.Arg != "" {
			l.Arg = change.Arg
		}
		if change.Each != "" {
			l.Each = change.Each
		}
		faults = append(faults, l.Validate())
		out[name] = l
	}
	return out, errors.Join(faults...)
}
