package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/fault"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
)

// faultHeader asks for faults on the request that carries it.
const faultHeader = "X-Sandbox-Fault"

// misbehaving answers a call with the faults that befall it: those of its own
// header, else those of the first rule that it meets.
func (s *server) misbehaving(c *call, answer func() reply) reply {
	faults, err := s.befalling(c)
	if err != nil {
		return failed(refusal.Header(http.StatusBadRequest, faultHeader, err.Error()))
	}
	if c.writes() {
		others, end := s.writing.begin(c.holder.Company.ID)
		defer end()
		if others > 0 && slices.ContainsFunc(faults, isOverlap) {
			return overlapped()
		}
	}
	if bad, ok := s.sufferAll(c, faults, false, reply{}); ok {
		return bad
	}
	good := answer()
	if bad, ok := s.sufferAll(c, faults, true, good); ok {
		return bad
	}
	return good
}

// sufferAll does those faults that come before the request takes effect, or after
// it; false when the call goes on.
func (s *server) sufferAll(c *call, faults []fault.Fault, after bool, good reply) (reply, bool) {
	for _, f := range faults {
		if f.After != after {
			continue
		}
		if bad, ok := s.suffer(c, f, good); ok {
			return bad, true
		}
	}
	return reply{}, false
}

func (s *server) befalling(c *call) ([]fault.Fault, error) {
	if asked := c.http.Header.Get(faultHeader); asked != "" {
		return fault.Parse(asked)
	}
	return s.faults.Meet(c.holder.Company.ID, c.http.Method, c.path), nil
}

// gatewayPage is what a proxy in front of a dead service says.
const gatewayPage = `<!DOCTYPE html>
<html><head><title>502 Bad Gateway</title></head>
<body><center><h1>502 Bad Gateway</h1></center><hr><center>sandbox gateway</center></body></html>
`

// suffer does one fault; false when the call goes on. good is the true answer,
// where the fault comes after it.
func (s *server) suffer(c *call, f fault.Fault, good reply) (reply, bool) {
	bad := reply{fault: string(f.Kind)}
	switch f.Kind {
	case fault.Delay:
		s.sleep(c.http.Context(), f.Wait)
		return reply{}, false
	case fault.Overlap:
		if c.writes() {
			s.sleep(c.http.Context(), f.Wait)
		}
		return reply{}, false
	case fault.Close:
		bad.hangUp = true
	case fault.Empty:
		bad.status = http.StatusInternalServerError
	case fault.HTML:
		bad.status, bad.media, bad.body = http.StatusBadGateway, "text/html", []byte(gatewayPage)
	case fault.Truncate:
		bad.status, bad.media, bad.body = http.StatusOK, "application/json", good.body[:len(good.body)/2]
	case fault.Status:
		bad = failed(refusal.New(f.Status, fmt.Sprintf("The sandbox was asked for a %d.", f.Status)))
		bad.fault = string(f.Kind)
		if at := f.RetryAfter.Header(s.engine.Now()); at != "" {
			bad.header = map[string]string{"Retry-After": at}
		}
	}
	return bad, true
}

func isOverlap(f fault.Fault) bool { return f.Kind == fault.Overlap }

func overlapped() reply {
	a := failed(refusal.New(http.StatusConflict, "Another change of this account is being made."))
	a.fault = string(fault.Overlap)
	return a
}

// writing counts the writes that each account has under way.
type writing struct {
	mu    sync.Mutex
	under map[int64]int
}

func newWriting() *writing { return &writing{under: map[int64]int{}} }

// begin counts one in, and tells how many were there before it.
func (w *writing) begin(account int64) (others int, end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	others = w.under[account]
	w.under[account]++
	return others, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.under[account]--
	}
}

// trimBase lets rules name a path with or without the API's base.
func trimBase(path string) string {
	if rest, ok := strings.CutPrefix(path, BasePath); ok && strings.HasPrefix(rest, "/") {
		return rest
	}
	return path
}
