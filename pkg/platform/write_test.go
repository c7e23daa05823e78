package platform

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

func TestAWriteWithoutAnAnswerIsSentOnceAndUnknown(t *testing.T) {
	for name, handle := range map[string]http.HandlerFunc{
		"a closed connection":    drop,
		"a time-out for headers": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"a body that breaks off": answerJSON(201, `{`, "Content-Length", "100"),
		"a 408":                  answerJSON(408, ``),
	} {
		t.Run(name, func(t *testing.T) {
			stub := newStub(t, handle)
			client, _ := clientOf(t, stub.URL, func(c *Config, _ *Options) {
				c.Timeout, c.IdempotencyHeader = time.Second, "Idempotency-Key"
			})
			request := creation("x")
			request.Key = "k"
			_, err := client.Do(t.Context(), request)
			p := problem.As(err)
			if !IsUnknown(err) || p.Retryable || p.Detail["herramienta"] != "list_things" {
				t.Errorf("%v, %v", p, p.Detail)
			}
			if n := len(stub.requests()); n != 1 {
				t.Errorf("sent %d times", n)
			}
		})
	}
}

func TestTheToolThatTells(t *testing.T) {
	for tool, want := range map[*catalog.Tool]any{createThing: "list_things", updateThing: "retrieve_thing", purgeThings: nil} {
		if got := Unknown(tool).Detail["herramienta"]; got != want {
			t.Errorf("%s: %v", tool.Name, got)
		}
	}
}

func TestAWriteOfWhichNothingWasSentIsTriedAgain(t *testing.T) {
	t.Run("a refused connection", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().String()
		_ = listener.Close()
		var server *http.Server
		var posts atomic.Int64
		client, _ := clientOf(t, "http://"+address, func(_ *Config, o *Options) {
			o.Now = time.Now
			o.Sleep = func(context.Context, time.Duration) error { // the platform comes up while we wait
				again, err := net.Listen("tcp", address)
				if err != nil {
					return err
				}
				server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					posts.Add(1)
					answerJSON(201, `{}`)(w, r)
				})}
				go func() { _ = server.Serve(again) }()
				return nil
			}
		})
		if _, err := client.Do(t.Context(), creation("x")); err != nil || posts.Load() != 1 {
			t.Errorf("%v, %d POSTs", err, posts.Load())
		}
		if server != nil {
			_ = server.Close()
		}
	})
	t.Run("within bounds, and then says that nothing happened", func(t *testing.T) {
		time := &clock{}
		client, _ := clientOf(t, "http://127.0.0.1:1", virtual(time))
		_, err := client.Do(t.Context(), creation("x"))
		p := problem.As(err)
		if p.Code != problem.EstadoInvalido || !p.Retryable || IsUnknown(err) || len(time.slept) != maxTries-1 {
			t.Errorf("%v, slept %v", p, time.slept)
		}
	})
	t.Run("a name that does not resolve is no unknown outcome", func(t *testing.T) {
		time := &clock{}
		client, _ := clientOf(t, "http://no-such-host.invalid", virtual(time))
		if _, err := client.Do(t.Context(), creation("x")); IsUnknown(err) || !problem.Is(err, problem.EstadoInvalido) {
			t.Error(err)
		}
	})
}

// A kept connection may have died unnoticed. What was written to it may have
// arrived; only the platform's silence is known.
func TestAWriteOnADeadKeptConnectionIsNeverDoubled(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var posts atomic.Int64
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { // answers one GET, then reads a POST and hangs up
				defer conn.Close()
				in := bufio.NewReader(conn)
				for {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					if r.Method == http.MethodPost {
						posts.Add(1)
						return
					}
					_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"))
				}
			}()
		}
	}()
	client, _ := clientOf(t, "http://"+listener.Addr().String(), func(c *Config, _ *Options) { c.IdempotencyHeader = "Idempotency-Key" })
	if _, err := client.Do(t.Context(), withID(retrieveThing, "1")); err != nil {
		t.Fatal(err)
	}
	request := creation("x")
	request.Key = "k" // net/http would repeat a POST that carries an Idempotency-Key it can see
	if _, err := client.Do(t.Context(), request); !IsUnknown(err) || posts.Load() != 1 {
		t.Errorf("%v, %d POSTs", err, posts.Load())
	}
}

func TestARefusalForAnotherWriteIsTriedAgain(t *testing.T) {
	created := answerJSON(201, `{"state":"executed","data":{"id":1}}`)
	form := func(detail string) string { return `{"errors":[{"detail":"` + detail + `"}]}` }
	for name, c := range map[string]struct {
		refuse http.HandlerFunc
		posts  int
		code   problem.Code // "" done in the end
	}{
		"a 409 that says so":             {answerJSON(409, form("Another operation is in progress.")), 3, ""},
		"a 409 that says nothing":        {answer(409, "text/plain", ""), 3, ""},
		"a 500 that says so":             {answerJSON(500, form("Concurrent updates of this account.")), 1, problem.EstadoInvalido},
		"a 409 about a name":             {answerJSON(409, form("This name is taken, or blocked.")), 1, problem.Conflicto},
		"a 500 about something else":     {answerJSON(500, form("An unexpected error occurred. Please try again later.")), 1, problem.EstadoInvalido},
		"a 500 that says nothing at all": {answer(500, "", ""), 1, problem.EstadoInvalido},
	} {
		t.Run(name, func(t *testing.T) {
			stub := newStub(t, inTurn(c.refuse, c.refuse, created))
			time := &clock{}
			client, _ := clientOf(t, stub.URL, virtual(time))
			_, err := client.Do(t.Context(), creation("x"))
			if c.code == "" && err != nil || c.code != "" && !problem.Is(err, c.code) {
				t.Error(err)
			}
			if n := len(stub.requests()); n != c.posts {
				t.Errorf("%d POSTs", n)
			}
		})
	}
	t.Run("within bounds", func(t *testing.T) {
		stub := newStub(t, answer(409, "text/plain", ""))
		time := &clock{}
		client, _ := clientOf(t, stub.URL, virtual(time))
		if _, err := client.Do(t.Context(), creation("x")); !problem.Is(err, problem.Conflicto) || len(stub.requests()) != maxTries {
			t.Errorf("%v, %d POSTs", err, len(stub.requests()))
		}
	})
}

// slowTurn is a turn that comes after a while, or never.
type slowTurn struct {
	time  *clock
	after time.Duration
	taken atomic.Int64
}

func (s *slowTurn) Take(ctx context.Context, _ int64) (func(), error) {
	if s.after < 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	_ = s.time.Sleep(ctx, s.after)
	s.taken.Add(1)
	return func() { s.taken.Add(-1) }, nil
}

func TestAWriteAsksItsJournalBeforeEachSend(t *testing.T) {
	stub := newStub(t, inTurn(answer(409, "text/plain", ""), answerJSON(201, `{}`)))
	time := &clock{}
	turns := &slowTurn{time: time, after: 5e9}
	client, _ := clientOf(t, stub.URL, virtual(time), func(_ *Config, o *Options) { o.Turns = turns })
	asked := 0
	request := creation("x")
	request.Leaving = func(context.Context) error { asked++; return nil }
	if _, err := client.Do(t.Context(), request); err != nil || asked != 2 {
		t.Errorf("%v, asked %d times for two sends", err, asked)
	}
	if turns.taken.Load() != 0 {
		t.Error("the turn was not given back")
	}

	lost := errors.New("the lease is lost")
	request.Leaving = func(context.Context) error { return lost }
	sent := len(stub.requests())
	if _, err := client.Do(t.Context(), request); !errors.Is(err, lost) || IsUnknown(err) || len(stub.requests()) != sent {
		t.Errorf("%v, sent %d more", err, len(stub.requests())-sent)
	}

	turns.after, asked = 0, 0
	request.Leaving = func(context.Context) error { asked++; return nil }
	if _, err := client.Do(t.Context(), request); err != nil || asked != 1 {
		t.Errorf("%v, asked %d times for one send", err, asked)
	}
}

func TestATurnThatNeverComesSendsNothing(t *testing.T) {
	stub := newStub(t, answerJSON(201, `{}`))
	client, _ := clientOf(t, stub.URL, func(c *Config, o *Options) {
		o.Turns, c.Timeout = &slowTurn{after: -1}, 20*time.Millisecond
	})
	_, err := client.Do(t.Context(), creation("x"))
	if p := problem.As(err); p.Code != problem.EstadoInvalido || !p.Retryable || p.RetryAfter == 0 || len(stub.requests()) != 0 {
		t.Errorf("%v", p)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.Do(cancelled, creation("x")); !errors.Is(err, context.Canceled) || IsUnknown(err) {
		t.Errorf("%v", err)
	}
}

func TestReadsTakeNoTurns(t *testing.T) {
	stub := newStub(t, answerJSON(200, `{}`))
	client, _ := clientOf(t, stub.URL, func(_ *Config, o *Options) { o.Turns = &slowTurn{after: -1} })
	if _, err := client.Do(t.Context(), withID(retrieveThing, "1")); err != nil {
		t.Error(err)
	}
}

// serial is a platform that refuses writes that overlap, as the real one does.
type serial struct {
	busy   atomic.Bool
	mu     sync.Mutex
	things map[string]bool
	posts  atomic.Int64
}

func (s *serial) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		s.posts.Add(1)
	}
	if !s.busy.CompareAndSwap(false, true) {
		answerJSON(409, `{"errors":[{"detail":"Another operation is in progress."}]}`)(w, r)
		return
	}
	time.Sleep(2 * time.Millisecond) // a write takes a while, so that overlaps show
	s.mu.Lock()
	name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	if r.Method == http.MethodPost {
		s.things[r.Header.Get("X-Name")] = true
	} else {
		delete(s.things, name)
	}
	s.mu.Unlock()
	s.busy.Store(false)
	answerJSON(200, `{"state":"executed"}`)(w, r)
}
