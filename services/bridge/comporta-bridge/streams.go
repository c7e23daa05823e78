package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// streams are the process's three, and its environment.
type streams struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) (string, bool)
}

func system() streams { return streams{os.Stdin, os.Stdout, os.Stderr, os.LookupEnv} }

// told says how a command ended. stdout belongs to messages and answers.
func (s streams) told(err error) int {
	var wrong *misuseError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return good
	case errors.Is(err, errTool):
		return failed // what it said is on stdout
	case errors.As(err, &wrong):
		fmt.Fprintln(s.err, "comporta-bridge:", err)
		return misuse
	default:
		fmt.Fprintln(s.err, "comporta-bridge:", err)
		return failed
	}
}

// misuseError is of a command line that cannot be meant.
type misuseError struct{ error }

func misused(format string, args ...any) error { return &misuseError{fmt.Errorf(format, args...)} }

// list is a flag that may be given often.
type list []string

func (l *list) String() string     { return strings.Join(*l, ", ") }
func (l *list) Set(v string) error { *l = append(*l, v); return nil }
