package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/host"
)

// stream calls a slow tool and gives the open event stream; meta goes into params.
func (d *door) stream(ctx context.Context, meta, accept string) *http.Response {
	d.t.Helper()
	body := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"retrieve_ship","arguments":{"ship_id":12}` + meta + `}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+"/mcp", strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", accept)
	req.Header.Set("Authorization", "Token member")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp
}

func TestASilentStreamIsKeptAlive(t *testing.T) { // B30, B32
	d := open(t, func(_ *host.Area, cfg *host.Config, _ *host.Wiring) { cfg.KeepAlive = 20 * time.Millisecond })
	release := d.heldShip(t)
	resp := d.stream(t.Context(), "", "text/event-stream")
	defer resp.Body.Close()
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" ||
		resp.Header.Get("X-Accel-Buffering") != "no" || !strings.Contains(resp.Header.Get("Cache-Control"), "no-transform") {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	first := make([]byte, 64)
	n, err := resp.Body.Read(first)
	if err != nil || !strings.HasPrefix(string(first[:n]), ":") {
		t.Fatalf("no comment came: %q %v", first[:n], err)
	}
	release()
	rest, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(rest), `"id\":12`) {
		t.Errorf("the answer did not come: %q %v", rest, err)
	}
}

// heldShip makes the platform answer only once the returned function was called.
func (d *door) heldShip(t *testing.T) (release func()) {
	held := make(chan struct{})
	release = sync.OnceFunc(func() { close(held) })
	t.Cleanup(release)
	d.platform.answer(func(w http.ResponseWriter, _ *http.Request) {
		<-held
		_, _ = io.WriteString(w, `{"data":{"id":12}}`)
	})
	return release
}

// slowShip answers after its request was cut or the test ends, and says which.
func (d *door) slowShip(t *testing.T) (arrived, aborted chan struct{}) {
	arrived, aborted = make(chan struct{}, 500), make(chan struct{}, 500)
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	d.platform.answer(func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-r.Context().Done():
			aborted <- struct{}{}
		case <-ended:
		}
	})
	return arrived, aborted
}

func TestACancelledCallEndsAtThePlatformToo(t *testing.T) { // B34
	for name, token := range map[string]string{"as JSON": "", "as a stream": `,"_meta":{"progressToken":1}`} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			arrived, aborted := d.slowShip(t)
			done := make(chan reply, 1)
			go func() {
				done <- d.send(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"retrieve_ship","arguments":{"ship_id":1}`+token+`}}`,
					asMember, "Accept: application/json, text/event-stream")
			}()
			<-arrived
			cancel := func(id string, as string) {
				d.send(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`,"reason":"user"}}`, as)
			}
			cancel("8", asMember)   // no such call
			cancel("7", asReader)   // somebody else's
			cancel(`"7"`, asMember) // another id of another type
			select {
			case <-aborted:
				t.Fatal("a call was cancelled by something that does not name it")
			case <-time.After(50 * time.Millisecond):
			}
			cancel("7", asMember)
			<-aborted
			if got := <-done; !strings.Contains(got.body, "was cancelled") {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
}

func TestACallWhoseClientLeavesEnds(t *testing.T) { // B34, B36
	d := open(t)
	arrived, aborted := d.slowShip(t)
	before := runtime.NumGoroutine()
	const many = 40
	for i := range many {
		ctx, cancel := context.WithCancel(t.Context())
		token := ""
		if i%2 == 0 {
			token = `,"_meta":{"progressToken":1}`
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+"/mcp", strings.NewReader(
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"retrieve_ship","arguments":{"ship_id":1}%s}}`, i, token)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Token member"}, "Accept": {"application/json, text/event-stream"}}
		go func() {
			if resp, err := http.DefaultClient.Do(req); err == nil {
				_ = resp.Body.Close()
			}
		}()
		<-arrived
		cancel()
		<-aborted
	}
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before+20 {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestAWriteGoesOnWhenItsClientLeaves(t *testing.T) {
	d := open(t)
	arrived, finish, finished := make(chan struct{}), make(chan struct{}), make(chan bool, 1)
	d.platform.answer(func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-finish
		finished <- r.Context().Err() == nil
		_, _ = io.WriteString(w, `{"data":{"id":1}}`)
	})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+"/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_ship","arguments":{"name":"Boa"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Token member"}}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	<-arrived
	cancel()
	<-gone
	time.Sleep(50 * time.Millisecond) // time for a cancellation to travel, if there were one
	close(finish)
	if !<-finished {
		t.Error("the write was broken off")
	}
}

func TestProgressGrowsUntilTheAnswer(t *testing.T) { // B72
	d := open(t, func(_ *host.Area, cfg *host.Config, _ *host.Wiring) { cfg.KeepAlive = 40 * time.Millisecond })
	release := d.heldShip(t)
	resp := d.stream(t.Context(), `,"_meta":{"progressToken":"p"}`, "application/json, text/event-stream")
	defer resp.Body.Close()
	lines, last, seen := bufio.NewScanner(resp.Body), 0.0, 0
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var message struct {
			Method string
			Params struct {
				ProgressToken string
				Progress      float64
			}
			Result json.RawMessage
		}
		if err := json.Unmarshal([]byte(data), &message); err != nil {
			t.Fatal(err)
		}
		if message.Result != nil {
			if seen < 3 {
				t.Errorf("%d times progress", seen)
			}
			return
		}
		if message.Method != "notifications/progress" || message.Params.ProgressToken != "p" || message.Params.Progress <= last {
			t.Fatalf("after %v: %s", last, data)
		}
		if last, seen = message.Params.Progress, seen+1; seen == 3 {
			release()
		}
	}
	t.Error("the stream ended without an answer")
}

func TestAProgressTokenThatIsNoneAsksForNothing(t *testing.T) {
	for token, stream := range map[string]bool{`"p"`: true, `7`: true, `null`: false, `1.5`: false, `{}`: false, `[1]`: false, `true`: false} {
		d := open(t)
		d.platform.says(200, `{"data":{"id":1}}`)
		got := d.send(http.MethodPost, "/mcp",
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"retrieve_ship","arguments":{"ship_id":1},"_meta":{"progressToken":`+token+`}}}`,
			asMember, "Accept: application/json, text/event-stream")
		if streamed := strings.HasPrefix(got.header.Get("Content-Type"), "text/event-stream"); got.status != 200 || streamed != stream {
			t.Errorf("%s: %d as %s", token, got.status, got.header.Get("Content-Type"))
		}
	}
}
