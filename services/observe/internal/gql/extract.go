package gql

import (
	"regexp"
	"strings"
)

// fence is a block of code in Markdown.
var fence = regexp.MustCompile("(?s)```[a-zA-Z]*[ \t]*\r?\n(.*?)```")

// Extract takes the query out of what a language model wrote: the first block of
// code, or else all of it. What it gives is text like any other, for Check.
func Extract(answer string) string {
	if found := fence.FindStringSubmatch(answer); found != nil {
		answer = found[1]
	}
	return strings.TrimSpace(answer)
}
