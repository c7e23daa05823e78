package process

import (
	"context"
	"io"
	"strings"
	"testing"
)

func TestTheFirstArgumentChooses(t *testing.T) {
	type cfg struct{ To string }
	var got string
	write := Program[cfg]{Name: "x write", About: "writes", Run: func(_ context.Context, c cfg) error { got = c.To; return nil }}.Command("write")
	tests := []struct {
		name string
		args []string
		code int
		to   string
		told string
	}{
		{"a command with its settings", []string{"write", "--to=here"}, good, "here", ""},
		{"a command with a wrong setting", []string{"write", "--two=here"}, misconfigured, "", "no such flag"},
		{"no command", nil, misconfigured, "", "x write"},
		{"an unknown command", []string{"wrte"}, misconfigured, "", `no command "wrte"`},
		{"help", []string{"--help"}, good, "", "writes"},
		{"the version", []string{"--version"}, good, "", Version},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got = ""
			var told strings.Builder
			code := choose(t.Context(), "x", "about", []Command{write}, test.args, []string{}, io.Writer(&told), &told)
			if code != test.code || got != test.to || !strings.Contains(told.String(), test.told) {
				t.Errorf("code %d, to %q, told %q", code, got, told.String())
			}
		})
	}
}
