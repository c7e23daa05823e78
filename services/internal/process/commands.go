package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// Command is one of several things that a binary does, by the first argument.
type Command struct {
	Word, About string
	run         func(ctx context.Context, args, env []string, out, faults io.Writer) int
}

// Command makes p one of several, called by word.
func (p Program[C]) Command(word string) Command {
	return Command{Word: word, About: p.About, run: p.run}
}

// MainOf runs the command that the process's first argument names, as Main does,
// and gives the exit code.
func MainOf(binary, about string, commands ...Command) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return choose(ctx, binary, about, commands, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
}

func choose(ctx context.Context, binary, about string, commands []Command, args, env []string, out, faults io.Writer) int {
	if len(args) > 0 {
		if i := slices.IndexFunc(commands, func(c Command) bool { return c.Word == args[0] }); i >= 0 {
			return commands[i].run(ctx, args[1:], env, out, faults)
		}
	}
	to, code := faults, misconfigured
	switch {
	case len(args) > 0 && (args[0] == "--help" || args[0] == "-h" || args[0] == "help"):
		to, code = out, good
	case len(args) > 0 && args[0] == "--version":
		fmt.Fprintln(out, binary, Version)
		return good
	case len(args) > 0:
		fmt.Fprintf(faults, "%s: there is no command %q\n\n", binary, args[0])
	}
	fmt.Fprintf(to, "%s: %s\n\n", binary, about)
	for _, c := range commands {
		fmt.Fprintf(to, "  %s %-12s %s\n", binary, c.Word, c.About)
	}
	fmt.Fprintf(to, "\n%s <command> --help tells a command's settings.\n", binary)
	return code
}
