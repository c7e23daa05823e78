package platform

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"unicode"
)

// failure is what the platform says about a request it refused.
type failure struct {
	// own: the body has the platform's error form, so no gateway made this answer.
	own    bool
	errors []platformError
	fields map[string]string // argument -> what is wrong with it
}

// platformError is one entry of the platform's "errors" (JSON:API, or GraphQL's
// with a message only).
type platformError struct {
	Message string `json:"message"`
	Code    string `json:"code"`
	Title   string `json:"title"`
	Detail  string `json:"detail"`
	Source  struct {
		Pointer   string `json:"pointer"`
		Parameter string `json:"parameter"`
		Header    string `json:"header"`
	} `json:"source"`
}

const (
	maxErrors  = 10  // of one answer; more help nobody
	maxMessage = 300 // characters of one message
)

// failureOf reads the error form; anything else, a page above all, says nothing.
func failureOf(r Request, got *reply) failure {
	if got.broken != nil || isPage(got.header.Get("Content-Type"), got.body) {
		return failure{}
	}
	var form struct {
		Errors []platformError `json:"errors"`
		Detail string          `json:"detail"`
	}
	if json.Unmarshal(got.body, &form) != nil {
		return failure{}
	}
	if len(form.Errors) == 0 && form.Detail != "" {
		form.Errors = []platformError{{Detail: form.Detail}}
	}
	f := failure{own: len(form.Errors) > 0, fields: map[string]string{}}
	for _, e := range form.Errors[:min(len(form.Errors), maxErrors)] {
		e.Code, e.Title, e.Detail = clean(e.Code), clean(e.Title), clean(cmp.Or(e.Detail, e.Message))
		f.errors = append(f.errors, e)
		if name := argumentOf(r, e); name != "" {
			f.fields[name] = e.message()
		}
	}
	return f
}

func (e platformError) message() string {
	switch {
	case e.Detail != "":
		return e.Detail
	case e.Title != "":
		return e.Title
	}
	return "is refused by the platform"
}

// says is the platform's own sentence, with a colon before it; "" where there is none.
func (f failure) says() string {
	var texts []string
	for _, e := range f.errors {
		if e.Detail != "" || e.Title != "" {
			texts = append(texts, strings.TrimSuffix(e.message(), "."))
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return ": " + strings.Join(texts[:min(len(texts), 3)], "; ")
}

// codes are the platform's error codes, for people who look them up.
func (f failure) codes() []string {
	var codes []string
	for _, e := range f.errors {
		if e.Code != "" {
			codes = append(codes, e.Code)
		}
	}
	return codes
}

// overlaps reports whether the platform refused a write because another one of
// the company was under way. A 409 without a word is one too: it is a refusal in
// any case, so asking again cannot double anything.
func (f failure) overlaps(status int) bool {
	if status == http.StatusConflict && !f.own {
		return true
	}
	if !f.own || status != http.StatusConflict && status != http.StatusLocked {
		return false
	}
	return overlapWords.MatchString(f.says())
}

// overlapWords are what a platform says when it refuses a write for another one's sake.
var overlapWords = regexp.MustCompile(`(?i)\b(overlap\w*|concurren\w*|simultaneous\w*|parallel|in progress|busy|locked|` +
	`being (processed|updated|modified|changed)|another (operation|request|write|change|update|transaction))\b`)

// clean makes a text of the platform fit for a sentence: one line, bounded, no markup.
func clean(text string) string {
	if strings.Contains(text, "<") && strings.Contains(text, ">") {
		return ""
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if runes := []rune(text); len(runes) > maxMessage {
		return string(runes[:maxMessage-1]) + "…"
	}
	return text
}

// requestID is the platform's name for the request, for its support; "" where it gives none.
func requestID(h http.Header) string {
	for _, name := range []string{"X-Request-Id", "X-Correlation-Id", "Request-Id"} {
		if id := clean(h.Get(name)); id != "" {
			return id
		}
	}
	return ""
}
