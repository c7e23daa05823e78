package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/agent"
)

// errTool is of a call that the tool itself refused; its words are on stdout.
var errTool = errors.New("the tool refused")

// callTool is the command "comporta-bridge call URL TOOL [ARGUMENTS]".
func callTool(ctx context.Context, args []string, s streams) error {
	var a access
	words, err := a.parse("call URL TOOL [ARGUMENTS]", args, s)
	if err != nil {
		return err
	}
	if len(words) < 2 || len(words) > 3 {
		return misused("call wants an address, a tool and its arguments as a JSON object")
	}
	arguments := json.RawMessage("{}")
	if len(words) == 3 {
		arguments = json.RawMessage(words[2])
	}
	if !json.Valid(arguments) {
		return misused("the arguments are no JSON: %s", words[2])
	}
	m, err := a.connected(ctx, words[0], s)
	if err != nil {
		return err
	}
	defer m.Close()
	result, err := m.Call(ctx, "mcp__server__"+words[1], arguments)
	if refused, ok := errors.AsType[*agent.ToolError](err); ok {
		fmt.Fprintln(s.out, refused.Text)
		return errTool
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, result.Text())
	return err
}

// listTools is the command "comporta-bridge tools URL".
func listTools(ctx context.Context, args []string, s streams) error {
	var a access
	words, err := a.parse("tools URL", args, s)
	if err != nil {
		return err
	}
	if len(words) != 1 {
		return misused("tools wants an address")
	}
	m, err := a.connected(ctx, words[0], s)
	if err != nil {
		return err
	}
	defer m.Close()
	for _, t := range m.Tools() {
		kind := "writes"
		switch {
		case t.ReadOnly:
			kind = "reads"
		case t.Destructive:
			kind = "destroys"
		}
		fmt.Fprintf(s.out, "%-40s %-8s %s\n", t.Remote, kind, t.Title)
	}
	return nil
}

// parse gives the words that are no flags.
func (a *access) parse(usage string, args []string, s streams) ([]string, error) {
	flags := flag.NewFlagSet("comporta-bridge "+usage, flag.ContinueOnError)
	flags.SetOutput(s.err)
	a.flags(flags)
	var words []string
	for {
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, &misuseError{err}
		}
		if flags.NArg() == 0 {
			return words, nil
		}
		words = append(words, flags.Arg(0))
		args = flags.Args()[1:]
	}
}

// connected is an agent with the one server.
func (a access) connected(ctx context.Context, url string, s streams) (*agent.Manager, error) {
	a.url = url
	header, err := a.header(s)
	if err != nil {
		return nil, err
	}
	m := a.manager(s)
	err = m.Connect(ctx, agent.Servers{"server": {Transport: agent.HTTP{URL: url, Headers: flat(header)}}})
	if err != nil {
		_ = m.Close()
		if one, ok := errors.AsType[*agent.ServerError](err); ok {
			err = one.Err
		}
		return nil, fmt.Errorf("%s: %w", strings.TrimSuffix(url, "/"), err)
	}
	return m, nil
}

// manager is an agent that signs in where no header does.
func (a access) manager(s streams) *agent.Manager {
	return agent.New(agent.Options{
		Name: "comporta-bridge", Version: version,
		SignIn: func(url string, base http.RoundTripper) (http.RoundTripper, error) {
			a.url = url
			signIn, err := a.signIn(s)
			if err != nil {
				return nil, err
			}
			return signIn.For(url, base)
		},
	})
}

func flat(header http.Header) map[string]string {
	headers := map[string]string{}
	for name := range header {
		headers[name] = header.Get(name)
	}
	return headers
}
