package sandbox

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/graph"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/traffic"
)

// analytics is the platform's GraphQL, over what this sandbox itself served.
type analytics struct {
	api  *graph.API
	seen *traffic.Log
}

func newAnalytics() *analytics {
	api, err := graph.New()
	if err != nil {
		panic(err) // a mistake in package graph, which its tests show
	}
	return &analytics{api: api, seen: traffic.NewLog()}
}

// answer runs a query; reading needs no right to write, though it is a POST.
func (a *analytics) answer(c *call) (reply, bool) {
	if !a.api.Serves(c.path) {
		return reply{}, false
	}
	if c.http.Method != http.MethodPost {
		return failed(&notAllowed{allow: http.MethodPost}), true
	}
	status, body := a.api.Answer(graph.Asker{Company: c.holder.Company.ID, Log: a.seen}, c.path, c.body)
	return reply{status: status, media: "application/json", body: body}, true
}

// served notes a request of a known company.
func (a *analytics) served(c *call, answer reply, at time.Time, took time.Duration) {
	if !c.known {
		return
	}
	address, _, err := net.SplitHostPort(c.http.RemoteAddr)
	if err != nil {
		address = c.http.RemoteAddr
	}
	a.seen.Add(c.holder.Company.ID, traffic.Event{
		ID: fmt.Sprintf("%032x", at.UnixNano()), At: at, Host: c.http.Host, Method: c.http.Method, URI: c.http.URL.RequestURI(),
		Protocol: c.http.Proto, RemoteAddress: address, UserAgent: c.http.UserAgent(), ContentType: answer.media,
		Status: cmp.Or(answer.status, http.StatusBadGateway), RequestLength: int64(len(c.body)),
		BytesSent: int64(len(answer.body)), Took: took,
	})
}
