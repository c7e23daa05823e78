package process

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

type settings struct {
	Listen string `help:"where to listen"`
}

func TestMainTellsHowTheProgramEnded(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		args  []string
		ends  error
		code  int
		out   string
		fault string
	}{
		"an orderly stop is good":              {t.Context(), nil, nil, good, "", ""},
		"a stop by a signal is good":           {cancelled, nil, context.Canceled, good, "", ""},
		"help is asked for and printed":        {t.Context(), []string{"--help"}, nil, good, "where to listen", ""},
		"an unknown setting is a wrong start":  {t.Context(), []string{"--listn=x"}, nil, misconfigured, "", "listn"},
		"a failure names the program and why":  {t.Context(), nil, errors.New("no disk"), failed, "", "thing: no disk"},
		"a setting reaches the program's Run":  {t.Context(), []string{"--listen=:1"}, errors.New("ran"), failed, "", "ran"},
		"a cancel of somebody else is failure": {t.Context(), nil, context.Canceled, failed, "", "canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, faults bytes.Buffer
			p := Program[settings]{Name: "thing", About: "Does things.", Run: func(_ context.Context, cfg settings) error {
				if len(c.args) == 1 && strings.HasPrefix(c.args[0], "--listen=") && cfg.Listen != ":1" {
					t.Errorf("listen is %q", cfg.Listen)
				}
				return c.ends
			}}
			if code := p.run(c.ctx, c.args, []string{}, &out, &faults); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !strings.Contains(out.String(), c.out) || !strings.Contains(faults.String(), c.fault) {
				t.Errorf("printed %q and %q, want %q and %q in them", out.String(), faults.String(), c.out, c.fault)
			}
		})
	}
}
