package main

import (
	"context"
	"flag"
	"log/slog"
	"time"

	"github.com/comporta-mcp/comporta/services/bridge"
)

// relay is the command "comporta-bridge URL".
func relay(ctx context.Context, args []string, s streams) error {
	flags := flag.NewFlagSet("comporta-bridge URL", flag.ContinueOnError)
	flags.SetOutput(s.err)
	var to access
	to.flags(flags)
	readOnly := flags.Bool("read-only", false, "only tools that say they read")
	verbose := flags.Bool("verbose", false, "say on stderr what happens")
	timeout := flags.Duration("timeout", 10*time.Minute, "until an answer begins")
	if err := parseAround(flags, args, &to.url); err != nil {
		return err
	}
	if to.url == "" {
		return misused("an address is needed, such as https://build-mcp.example.com/mcp")
	}
	level := slog.LevelWarn
	if *verbose {
		level = slog.LevelInfo
	}
	log := slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: level}))
	header, base, err := to.prepare(s)
	if err != nil {
		return err
	}
	return bridge.Run(ctx, bridge.Config{
		URL: to.url, Header: header, Base: base, ReadOnly: *readOnly, Timeout: *timeout, In: s.in, Out: s.out, Log: log,
	})
}

// parseAround parses flags before and after the one word that is none.
func parseAround(flags *flag.FlagSet, args []string, word *string) error {
	for {
		if err := flags.Parse(args); err != nil {
			if err == flag.ErrHelp {
				return err
			}
			return &misuseError{err}
		}
		if flags.NArg() == 0 {
			return nil
		}
		if *word != "" {
			return misused("unexpected argument %q", flags.Arg(0))
		}
		*word = flags.Arg(0)
		args = flags.Args()[1:]
	}
}
