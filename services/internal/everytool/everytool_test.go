package everytool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/quota"
	"github.com/comporta-mcp/comporta/services/local"
)

func TestEveryToolIsCalledAndItsTrafficIsAsDocumented(t *testing.T) {
	if testing.Short() {
		t.Skip("it calls some two hundred tools on a whole Comporta")
	}
	e := start(t)
	s := newStory(t)
	all := tools(t)
	for _, one := range s.inOrder(all) {
		args := s.arguments(t, one)
		answer, ok := e.call(one, args)
		if ok {
			s.happened(one, args, answer)
		}
	}
	e.report(all)
}

// everything is a running Comporta whose platform is behind the proxy.
type everything struct {
	*testing.T
	proxy *proxy
	ready local.Ready
	done  map[string]bool // tools that answered well, operations to their end
	long  int             // how many of them were operations
}

func start(t *testing.T) *everything {
	t.Helper()
	cfg := local.Defaults()
	cfg.Home, cfg.PortBase = t.TempDir(), freePorts(t)
	e := &everything{T: t, done: map[string]bool{}}
	ready, ended := make(chan local.Ready, 1), make(chan error, 1)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	go func() {
		ended <- local.Run(ctx, cfg, local.Options{
			Log:    slog.New(slog.DiscardHandler),
			Ready:  func(r local.Ready) { ready <- r },
			Adjust: e.adjust,
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("it did not stop cleanly: %v", err)
		}
	})
	select {
	case e.ready = <-ready:
	case err := <-ended:
		ended <- nil
		t.Fatalf("it did not start: %v", err)
	}
	return e
}

// adjust leads all traffic to the platform through the proxy.
func (e *everything) adjust(w *local.Wiring) {
	var url string
	e.proxy, url = newProxy(e.T, operations(e.T), "http://"+w.Sandbox.Listen)
	w.NATS.Lax = true
	w.Sandbox.PendingFor = 200 * time.Millisecond
	w.Worker.Platform.URL = url
	for area, host := range w.Hosts {
		host.Platform.URL = url
		host.Limits = map[string]quota.Limit{"calls": {Name: "calls", Count: 1000, Window: time.Second, Per: quota.PerLink}}
		w.Hosts[area] = host
	}
}

func freePorts(t *testing.T) int {
	t.Helper()
	for range 50 {
		base := 10_000 + 50*rand.IntN(400)
		free := true
		for port := base; port < base+40 && free; port++ {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if free = err == nil; free {
				_ = l.Close()
			}
		}
		if free {
			return base
		}
	}
	t.Fatal("no free ports were found")
	return 0
}

// call calls a tool and follows its operation to the end.
func (e *everything) call(one tool, args map[string]any) (map[string]any, bool) {
	e.Helper()
	answer, failed := e.ask(one.Area, one.Name, args)
	if failed != "" {
		e.Errorf("%s %v: %s", one.Name, args, failed)
		return nil, false
	}
	if answer["operacion_id"] != nil {
		e.long++
		if answer = e.followed(one, answer); answer == nil {
			return nil, false
		}
	}
	e.done[one.Name] = true
	return answer, true
}

func (e *everything) followed(one tool, begun map[string]any) map[string]any {
	e.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		op, failed := e.ask(one.Area, "ver_operacion", map[string]any{"operacion_id": begun["operacion_id"]})
		switch {
		case failed != "":
			e.Errorf("%s: ver_operacion: %s", one.Name, failed)
			return nil
		case op["estado"] == "ok":
			result, _ := op["resultado"].(map[string]any)
			if result == nil {
				result = map[string]any{}
			}
			return result
		case op["estado"] == "error":
			e.Errorf("%s: its operation ended in %v", one.Name, op["error"])
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	e.Errorf("%s: its operation did not end", one.Name)
	return nil
}

// ask is one tools/call.
func (e *everything) ask(area, name string, args map[string]any) (answer map[string]any, failed string) {
	e.Helper()
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": args},
	})
	if err != nil {
		e.Fatal(err)
	}
	request, err := http.NewRequestWithContext(e.Context(), http.MethodPost, e.ready.Areas[area], bytes.NewReader(body))
	if err != nil {
		e.Fatal(err)
	}
	request.Header.Set("Authorization", "Token "+e.ready.Tokens["admin"])
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		e.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		e.Fatal(err)
	}
	var message struct {
		Result struct {
			IsError           bool           `json:"isError"`
			StructuredContent map[string]any `json:"structuredContent"`
		} `json:"result"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&message); err != nil || message.Result.IsError || message.Result.StructuredContent == nil {
		return nil, fmt.Sprintf("%d %.700s", response.StatusCode, text)
	}
	return message.Result.StructuredContent, ""
}

// report counts, against each document, the tools whose every exchange is as it says.
func (e *everything) report(all []tool) {
	e.Helper()
	count, of := map[bool]int{}, map[bool]int{}
	for _, one := range all {
		i := slices.IndexFunc(e.proxy.operations, func(o operation) bool { return o.route.Operation.OperationID == one.Name })
		public := e.proxy.operations[i].public
		of[public]++
		faults := e.proxy.faults[one.Name]
		if len(faults) > 0 {
			e.Errorf("%s:\n  %s", one.Name, strings.Join(faults, "\n  "))
		}
		if e.proxy.passed[one.Name] == 0 {
			e.Errorf("%s: the platform never saw it, or never took it", one.Name)
		}
		if len(faults) == 0 && e.proxy.passed[one.Name] > 0 && e.done[one.Name] {
			count[public]++
		}
	}
	for _, c := range contradictions {
		if of[true] > 0 && !e.proxy.used[c.Why] {
			e.Errorf("no traffic meets this contradiction any more, delete it: %s", c.Why)
		}
	}
	e.Logf("%d of %d tools called well through MCP, %d of them operations followed to ok", len(e.done), len(all), e.long)
	e.Logf("%d of %d validate against the platform's public document, %d of %d against our own alone", count[true], of[true], count[false], of[false])
}
