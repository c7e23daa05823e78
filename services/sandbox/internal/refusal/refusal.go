// Package refusal is the platform's error form: a list of faults, each with its
// status, five-digit code, title, detail and the place it is about.
package refusal

import (
	"fmt"
	"net/http"
	"strings"
)

// Source is where in the request a fault lies; at most one field is set.
type Source struct {
	Pointer   string `json:"pointer,omitempty"`   // JSON Pointer into the body
	Parameter string `json:"parameter,omitempty"` // query or path parameter
	Header    string `json:"header,omitempty"`
}

// Fault is one thing wrong with a request.
type Fault struct {
	Status string  `json:"status"`
	Code   string  `json:"code"`
	Title  string  `json:"title"`
	Detail string  `json:"detail"`
	Source *Source `json:"source,omitempty"`
}

// Refusal is an answer that is an error: one HTTP status and its faults.
type Refusal struct {
	Status int     `json:"-"`
	Faults []Fault `json:"errors"`
}

func (r *Refusal) Error() string {
	details := make([]string, len(r.Faults))
	for i, f := range r.Faults {
		details[i] = f.Detail
	}
	return fmt.Sprintf("%d: %s", r.Status, strings.Join(details, "; "))
}

// Known codes of the platform; the others are made like its 10500.
var codes = map[int]string{
	http.StatusBadRequest:          "10000",
	http.StatusUnauthorized:        "10001",
	http.StatusForbidden:           "10003",
	http.StatusNotFound:            "10004",
	http.StatusMethodNotAllowed:    "10005",
	http.StatusNotAcceptable:       "10006",
	http.StatusTooManyRequests:     "10010",
	http.StatusUnprocessableEntity: "10073",
	http.StatusInternalServerError: "10500",
}

// titles are the platform's own where they differ from HTTP's.
var titles = map[int]string{
	http.StatusBadRequest:      "Validation Error",
	http.StatusUnauthorized:    "Authentication Failed",
	http.StatusForbidden:       "Permission Denied",
	http.StatusTooManyRequests: "Throttled",
}

// New is a refusal with one fault about nothing in particular.
func New(status int, detail string) *Refusal {
	return &Refusal{Status: status, Faults: []Fault{fault(status, detail, nil)}}
}

// Parameter is a refusal about one query or path parameter.
func Parameter(status int, name, detail string) *Refusal {
	return &Refusal{Status: status, Faults: []Fault{fault(status, detail, &Source{Parameter: name})}}
}

// Body is a refusal about one place of the body.
func Body(status int, pointer, detail string) *Refusal {
	return &Refusal{Status: status, Faults: []Fault{fault(status, detail, &Source{Pointer: pointer})}}
}

// Header is a refusal about one request header.
func Header(status int, name, detail string) *Refusal {
	return &Refusal{Status: status, Faults: []Fault{fault(status, detail, &Source{Header: name})}}
}

// Add appends a fault about a place of the body.
func (r *Refusal) Add(pointer, detail string) {
	var source *Source
	if pointer != "" {
		source = &Source{Pointer: pointer}
	}
	r.Faults = append(r.Faults, fault(r.Status, detail, source))
}

// NotFound is the answer for what does not exist, or belongs to someone else.
func NotFound() *Refusal { return New(http.StatusNotFound, "There is no such resource.") }

func fault(status int, detail string, source *Source) Fault {
	code, ok := codes[status]
	if !ok {
		code = fmt.Sprintf("10%03d", status)
	}
	title, ok := titles[status]
	if !ok {
		title = http.StatusText(status)
	}
	return Fault{
		Status: fmt.Sprint(status),
		Code:   code,
		Title:  title,
		Detail: detail,
		Source: source,
	}
}
