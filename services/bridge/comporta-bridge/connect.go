package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/services/bridge/internal/connect"
)

// plan is what "comporta-bridge connect" was asked for.
type plan struct {
	access
	areas     list
	client    string
	domain    string
	addresses list // name=URL
	profile   string
	file      string
	useToken  bool
	useBridge bool
	readOnly  bool
	printOnly bool
	noTest    bool
}

const connectUsage = `comporta-bridge connect puts areas into an MCP client's configuration, tries the
connection and lists what the agent gets. What is missing is asked for. Pick only
the areas that the agent needs: each costs its model attention.

  comporta-bridge connect --domain example.com --area build --client claude-code
  comporta-bridge connect --server build=http://127.0.0.1:8102/mcp --client cursor --print

`

// connectClient is the command "comporta-bridge connect".
func connectClient(ctx context.Context, args []string, s streams) error {
	p, err := parsePlan(args, s)
	if err != nil {
		return err
	}
	client, servers, err := p.complete(bufio.NewReader(s.in), s)
	if err != nil {
		return err
	}
	if !p.noTest {
		if err := p.try(ctx, servers, s); err != nil {
			return err
		}
	}
	if p.printOnly {
		text, err := client.Merge(nil, servers)
		if err != nil {
			return err
		}
		_, err = s.out.Write(text)
		return err
	}
	place, err := here()
	if err != nil {
		return err
	}
	if p.file == "" {
		p.file = client.File(place)
	}
	backup, err := client.Write(p.file, servers, time.Now())
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Wrote %s.\n", p.file)
	if backup != "" {
		fmt.Fprintf(s.out, "What it was before is in %s.\n", backup)
	}
	fmt.Fprintln(s.out, client.Next)
	return nil
}

func parsePlan(args []string, s streams) (*plan, error) {
	var p plan
	flags := flag.NewFlagSet("comporta-bridge connect", flag.ContinueOnError)
	flags.SetOutput(s.err)
	flags.Usage = func() { fmt.Fprint(s.err, connectUsage); flags.PrintDefaults() }
	p.access.flags(flags)
	flags.Var(&p.areas, "area", "an `area` to connect: docs, build, secure, observe, storage (may be given often)")
	flags.StringVar(&p.client, "client", "", "the `client`: "+strings.Join(connect.IDs(), ", "))
	flags.StringVar(&p.domain, "domain", "", "the `domain` of the installation: build is at https://build-mcp.<domain>/mcp")
	flags.Var(&p.addresses, "server", "a server by `name=URL`, in place of --domain and --area (may be given often)")
	flags.StringVar(&p.profile, "profile", "", "a `profile` of the areas, such as lite")
	flags.StringVar(&p.file, "file", "", "the `file` to write (default: where the client has it)")
	flags.BoolVar(&p.useToken, "token", false, "let the client send the personal token of --token-env instead of signing in")
	flags.BoolVar(&p.useBridge, "bridge", false, "let the client start this bridge, although it could reach the server itself")
	flags.BoolVar(&p.readOnly, "read-only", false, "only tools that say they read (through the bridge)")
	flags.BoolVar(&p.printOnly, "print", false, "print the configuration instead of writing it")
	flags.BoolVar(&p.noTest, "no-test", false, "do not try the connection")
	var surplus string
	if err := parseAround(flags, args, &surplus); err != nil {
		return nil, err
	}
	if surplus != "" {
		return nil, misused("unexpected argument %q", surplus)
	}
	return &p, nil
}

// areas are those of contract §1, with what a person wants to know when asked.
var areas = [][2]string{
	{"docs", "finds the right passage of the documentation"},
	{"build", "applications, functions, connectors, workloads"},
	{"secure", "firewalls, WAFs, network lists, DNS, certificates"},
	{"observe", "metrics, events and usage"},
	{"storage", "buckets and objects, SQL databases"},
}

// complete asks for what the flags leave open.
func (p *plan) complete(in *bufio.Reader, s streams) (connect.Client, []connect.Server, error) {
	if len(p.addresses) == 0 {
		if p.domain == "" {
			p.domain = ask(in, s, "The installation's domain (such as example.com)")
		}
		if len(p.areas) == 0 {
			for _, a := range areas {
				fmt.Fprintf(s.err, "  %-8s %s\n", a[0], a[1])
			}
			p.areas = strings.FieldsFunc(ask(in, s, "Areas to connect, as few as the agent needs"), func(r rune) bool { return r == ' ' || r == ',' })
		}
	}
	if p.client == "" {
		for _, c := range connect.Clients {
			fmt.Fprintf(s.err, "  %-15s %s\n", c.ID, c.Title)
		}
		p.client = ask(in, s, "The client")
	}
	client, err := connect.Find(p.client)
	if err != nil {
		return client, nil, &misuseError{err}
	}
	servers, err := p.servers()
	if err != nil {
		return client, nil, err
	}
	for i := range servers {
		if p.useBridge || p.readOnly || client.NeedsBridge(servers[i]) {
			if servers[i].Bridge, err = ownPath(); err != nil {
				return client, nil, err
			}
		}
	}
	return client, servers, nil
}

// ask puts a question to the person. No answer is an empty one.
func ask(in *bufio.Reader, s streams, question string) string {
	fmt.Fprintf(s.err, "%s: ", question)
	answer, _ := in.ReadString('\n')
	return strings.TrimSpace(answer)
}

func (p *plan) servers() ([]connect.Server, error) {
	tokenEnv := ""
	if p.useToken {
		tokenEnv = p.tokenEnv
	}
	add := func(all []connect.Server, name, address string) []connect.Server {
		if p.profile != "" {
			address = strings.TrimSuffix(address, "/") + "/" + p.profile
		}
		return append(all, connect.Server{Name: name, URL: address, TokenEnv: tokenEnv, ReadOnly: p.readOnly})
	}
	var all []connect.Server
	for _, pair := range p.addresses {
		name, address, ok := strings.Cut(pair, "=")
		if !ok || name == "" || !isWeb(address) {
			return nil, misused("--server wants name=URL, with an http or https address")
		}
		all = add(all, name, address)
	}
	if len(all) > 0 {
		return all, nil
	}
	if p.domain == "" || len(p.areas) == 0 {
		return nil, misused("which servers? Give --domain and --area, or --server name=URL")
	}
	for _, area := range p.areas {
		if !known(area) {
			return nil, misused("unknown area %q", area)
		}
		all = add(all, area, "https://"+area+"-mcp."+p.domain+"/mcp")
	}
	return all, nil
}

// isWeb keeps what no client can reach out of its configuration.
func isWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

func known(area string) bool {
	for _, a := range areas {
		if a[0] == area {
			return true
		}
	}
	return false
}

// ownPath is this program's, for clients to start.
func ownPath() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program's own path: %w", err)
	}
	return filepath.EvalSymlinks(path)
}

// here is where clients' files are looked for.
func here() (connect.Place, error) {
	home, err := os.UserHomeDir()
	config, err2 := os.UserConfigDir()
	project, err3 := os.Getwd()
	return connect.Place{OS: runtime.GOOS, Home: home, Config: config, Project: project}, errors.Join(err, err2, err3)
}
