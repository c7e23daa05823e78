// Package fault makes the sandbox misbehave on request: which rule meets which
// request, and what a rule does to the answer. It decides; the server around it
// sleeps, closes and writes.
package fault

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Kind is one way to misbehave.
type Kind string

// The kinds. Each but Truncate and Overlap happens before the request takes
// effect, so that it does not; with "-after" behind the kind it takes
// effect first.
const (
	Delay    Kind = "delay"    // delay=500ms: wait
	Status   Kind = "status"   // status=429: an error of that status; ";retry-after=…" sets the header
	HTML     Kind = "html"     // a gateway's 502 page
	Empty    Kind = "empty500" // 500 without a body
	Close    Kind = "close"    // the connection is closed without an answer
	Truncate Kind = "truncate" // 200 with the first half of the answer
	Overlap  Kind = "overlap"  // overlap=50ms: 409 while another write of the account runs; holds this one so long
)

// Fault is one misbehaviour.
type Fault struct {
	Kind       Kind
	After      bool          // the request takes effect first
	Wait       time.Duration // of Delay and Overlap
	Status     int           // of Status
	RetryAfter RetryAfter    // of Status
}

// RetryAfter is how an error tells when to come back.
type RetryAfter struct {
	Form    string // "": no header, "seconds", "date"
	Seconds int
}

// defaultHold is how long Overlap keeps a write, so that a second one can meet it.
const defaultHold = 25 * time.Millisecond

// Parse reads faults as header and rules write them: kinds with commas between.
func Parse(list string) ([]Fault, error) {
	var faults []Fault
	for text := range strings.SplitSeq(list, ",") {
		f, err := parseOne(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("fault %q: %w", text, err)
		}
		faults = append(faults, f)
	}
	return faults, nil
}

func parseOne(text string) (Fault, error) {
	head, options, _ := strings.Cut(text, ";")
	name, value, _ := strings.Cut(head, "=")
	name, after := strings.CutSuffix(name, "-after")
	f := Fault{Kind: Kind(name), After: after}
	var err error
	switch f.Kind {
	case Delay:
		f.Wait, err = time.ParseDuration(value)
	case Overlap:
		if f.Wait = defaultHold; value != "" {
			f.Wait, err = time.ParseDuration(value)
		}
	case HTML, Empty, Close:
	case Truncate:
		f.After = true
	case Status:
		f.Status, err = strconv.Atoi(value)
	default:
		f.Kind = Status // "500" is status=500
		f.Status, err = strconv.Atoi(name)
	}
	if err != nil || f.Kind == Status && (f.Status < 400 || f.Status > 599) {
		return Fault{}, fmt.Errorf("it must be delay=<duration>, status=<400-599>, html, empty500, close, truncate or overlap, with -after behind the kind to take effect first")
	}
	return f, f.readOptions(options)
}

func (f *Fault) readOptions(text string) error {
	if f.Kind == Status && f.Status == 429 {
		f.RetryAfter = RetryAfter{Form: "seconds", Seconds: 1}
	}
	if text == "" {
		return nil
	}
	name, value, _ := strings.Cut(text, "=")
	form, seconds, _ := strings.Cut(value, ":")
	if name != "retry-after" || f.Kind != Status {
		return fmt.Errorf("the only option is retry-after, of status")
	}
	switch n, err := strconv.Atoi(form); {
	case err == nil:
		f.RetryAfter = RetryAfter{Form: "seconds", Seconds: n}
	case form == "none":
		f.RetryAfter = RetryAfter{}
	case form == "date":
		f.RetryAfter = RetryAfter{Form: "date", Seconds: 1}
		if n, err := strconv.Atoi(seconds); err == nil {
			f.RetryAfter.Seconds = n
		}
	default:
		return fmt.Errorf("retry-after must be <seconds>, date:<seconds> or none")
	}
	return nil
}

// Header is the header's value; "" for none.
func (r RetryAfter) Header(now time.Time) string {
	switch r.Form {
	case "seconds":
		return strconv.Itoa(r.Seconds)
	case "date":
		at := now.Add(time.Duration(r.Seconds) * time.Second)
		return at.UTC().Format(http.TimeFormat)
	}
	return ""
}
