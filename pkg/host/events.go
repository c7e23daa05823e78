package host

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// eventWriter keeps an event stream alive: a comment goes out whenever nothing
// else did for a while, also before the first event. Each write gets its own
// deadline, since one for the whole answer would cut long streams. An answer
// that turns out to be no stream passes untouched.
type eventWriter struct {
	w     http.ResponseWriter
	every time.Duration
	// header is what the handler sets; it is copied when the answer begins, so
	// that a comment can begin it without touching the handler's map.
	header http.Header

	mu     sync.Mutex
	begun  bool
	stream bool
	ended  bool
	last   time.Time
	timer  *time.Timer
}

// writeTime is how long a client may take to accept one write.
const writeTime = 30 * time.Second

func newEventWriter(w http.ResponseWriter, every time.Duration) *eventWriter {
	e := &eventWriter{w: w, every: every, header: w.Header().Clone(), last: time.Now()}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timer = time.AfterFunc(every, e.comment)
	return e
}

// Header is the handler's own map until the answer begins.
func (e *eventWriter) Header() http.Header { return e.header }

// WriteHeader begins the answer.
func (e *eventWriter) WriteHeader(status int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.begin(status, e.header)
}

// Write sends p, as a stream's next bytes or as the plain answer.
func (e *eventWriter) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.begin(http.StatusOK, e.header)
	e.touch()
	return e.w.Write(p)
}

// Flush sends what was written.
func (e *eventWriter) Flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.begin(http.StatusOK, e.header)
	// Best effort, as for the handler itself: a broken connection shows at the next write.
	_ = http.NewResponseController(e.w).Flush()
}

// begin writes the headers once. The caller holds e.mu.
func (e *eventWriter) begin(status int, header http.Header) {
	if e.begun {
		return
	}
	e.begun = true
	maps.Copy(e.w.Header(), header)
	e.stream = strings.HasPrefix(header.Get("Content-Type"), "text/event-stream")
	if e.stream {
		e.w.Header().Set("X-Accel-Buffering", "no")
		e.w.Header().Set("Cache-Control", "no-cache, no-transform")
	}
	e.w.WriteHeader(status)
}

func (e *eventWriter) touch() {
	e.last = time.Now()
	// Writers that cannot set deadlines are those of tests.
	_ = http.NewResponseController(e.w).SetWriteDeadline(e.last.Add(writeTime))
}

// comment runs whenever the stream may have been silent for too long.
func (e *eventWriter) comment() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended || e.begun && !e.stream {
		return
	}
	if quiet := time.Since(e.last); quiet < e.every {
		e.timer.Reset(e.every - quiet)
		return
	}
	e.begin(http.StatusOK, http.Header{"Content-Type": {"text/event-stream"}})
	e.touch()
	if _, err := e.w.Write([]byte(": still here\n\n")); err == nil {
		_ = http.NewResponseController(e.w).Flush()
	}
	e.timer.Reset(e.every)
}

// stop must be called before the handler returns.
func (e *eventWriter) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
	e.timer.Stop()
}
