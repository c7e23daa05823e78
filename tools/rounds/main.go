// Command rounds is agents at work on a running Comporta with a sandbox behind it:
// each creates applications and workloads through build's MCP endpoint and follows
// the long operations to their end. It tells how many calls had to be repeated, and
// fails where one failed twice, an operation was lost, or one took effect twice.
//
// It owns no part of a swarm: who starts, restarts or kills what it talks to does so
// meanwhile, and ends it with SIGTERM, or gives a number of rounds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

type options struct {
	area    string // build's public base URL
	through string // host:port to connect to; "": the URL's own
	sandbox string
	people  []string
	rounds  int
	pause   time.Duration
	after   time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.area, "area", "", "public base URL of build, as https://build-mcp.example.com")
	flag.StringVar(&o.through, "through", "", "host:port to connect to in place of the URL's own")
	flag.StringVar(&o.sandbox, "sandbox", "", "base URL of the sandbox, which lends tokens and counts effects")
	people := flag.String("people", "member,admin_2,outsider", "who works, of the sandbox's people")
	flag.IntVar(&o.rounds, "rounds", 0, "rounds of each; 0: until SIGTERM")
	flag.DurationVar(&o.pause, "pause", time.Second, "time between two rounds of one person")
	flag.DurationVar(&o.after, "after", 2*time.Minute, "how long operations may go on after the last round")
	flag.Parse()
	o.people = strings.Split(*people, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := errors.Join(need("area", o.area), need("sandbox", o.sandbox))
	if err == nil {
		var told tally
		told, err = work(ctx, o)
		fmt.Println(told)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rounds:", err)
		os.Exit(1)
	}
}

func need(flag, value string) error {
	if value == "" {
		return fmt.Errorf("-%s must be given", flag)
	}
	return nil
}
