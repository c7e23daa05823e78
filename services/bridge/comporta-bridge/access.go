package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/agent/oauth"
)

// access is how a server is reached and who asks.
type access struct {
	url       string
	headers   list
	tokenEnv  string
	cache     string
	noBrowser bool
	redirect  string
}

func (a *access) flags(flags *flag.FlagSet) {
	flags.Var(&a.headers, "header", "a `header` to send, \"Name: value\"; ${VAR} is taken from the environment (may be given often)")
	flags.StringVar(&a.tokenEnv, "token-env", "COMPORTA_TOKEN", "the `variable` that holds a personal token")
	flags.StringVar(&a.cache, "token-cache", "", "the `folder` where sign-ins are kept (default: in your configuration folder)")
	flags.BoolVar(&a.noBrowser, "no-browser", false, "print the sign-in address instead of opening a browser")
	flags.StringVar(&a.redirect, "redirect-url", "", "the `address` of this machine that the sign-in comes back to (default: a free port)")
}

// prepare gives the headers to send and the round tripper: one that signs in where
// nothing else does.
func (a *access) prepare(s streams) (http.Header, http.RoundTripper, error) {
	header, err := a.header(s)
	if err != nil {
		return nil, nil, err
	}
	base := http.DefaultTransport
	if header.Get("Authorization") != "" {
		return header, base, nil
	}
	signIn, err := a.signIn(s)
	if err != nil {
		return nil, nil, err
	}
	base, err = signIn.For(a.url, base)
	return header, base, err
}

func (a *access) header(s streams) (http.Header, error) {
	header := http.Header{}
	for _, line := range a.headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, misused("--header wants \"Name: value\"")
		}
		value, err := expand(strings.TrimSpace(value), s.env)
		if err != nil {
			return nil, err
		}
		header.Set(strings.TrimSpace(name), value)
	}
	if header.Get("Authorization") != "" {
		return header, nil
	}
	if token, ok := s.env(a.tokenEnv); ok && strings.TrimSpace(token) != "" {
		header.Set("Authorization", credential(token))
	} else if a.tokenEnv != "COMPORTA_TOKEN" {
		return nil, misused("the environment variable %s is not set", a.tokenEnv)
	}
	return header, nil
}

// credential makes a header's value of what a variable or file holds: line ends
// come with many ways of storing one.
func credential(token string) string {
	token = strings.TrimSpace(token)
	if strings.ContainsRune(token, ' ') {
		return token // it names its scheme
	}
	return "Token " + token
}

// variable is ${VAR}. A $ alone is a character: passwords have them.
var variable = regexp.MustCompile(`\$\{[^{}]+\}`)

// expand replaces ${VAR}.
func expand(text string, env func(string) (string, bool)) (string, error) {
	var missing []string
	out := variable.ReplaceAllStringFunc(text, func(whole string) string {
		name := whole[2 : len(whole)-1]
		value, ok := env(name)
		if !ok {
			missing = append(missing, name)
		}
		return strings.TrimSpace(value)
	})
	if len(missing) > 0 {
		return "", misused("the environment variable %s is not set", strings.Join(missing, ", "))
	}
	return out, nil
}

func (a *access) signIn(s streams) (*oauth.SignIn, error) {
	store, err := a.store()
	if err != nil {
		return nil, err
	}
	return oauth.New(oauth.Config{
		Store: store, ClientName: "Comporta bridge", RedirectURL: a.redirect,
		Open: func(ctx context.Context, url string) error {
			fmt.Fprintf(s.err, "Sign in to %s here:\n  %s\n", a.url, url)
			if a.noBrowser {
				return nil
			}
			if err := oauth.Browse(ctx, url); err != nil {
				fmt.Fprintln(s.err, err) // the address is printed
			}
			return nil
		},
	}), nil
}

func (a *access) store() (oauth.Folder, error) {
	if a.cache != "" {
		return oauth.Folder(a.cache), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding your configuration folder (--token-cache names another): %w", err)
	}
	return oauth.Folder(filepath.Join(dir, "comporta-bridge")), nil
}

// logout is the command "comporta-bridge logout URL".
func logout(args []string) error {
	flags := flag.NewFlagSet("comporta-bridge logout", flag.ContinueOnError)
	var a access
	flags.StringVar(&a.cache, "token-cache", "", "the `folder` where sign-ins are kept")
	if err := parseAround(flags, args, &a.url); err != nil {
		return err
	}
	if a.url == "" {
		return misused("logout wants the server's address")
	}
	store, err := a.store()
	if err != nil {
		return err
	}
	return store.Forget(a.url)
}
