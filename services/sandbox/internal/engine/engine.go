// Package engine does what an operation of the documents says to what the store
// holds. It knows no HTTP beyond statuses and no resource by name: an operation's
// kind, its collection and its schemas say everything.
package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/people"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/store"
)

// Engine serves operations.
type Engine struct {
	Model       *model.Model
	Store       *store.Store
	PendingFor  time.Duration // how long what answers 202 takes
	MaxPageSize int
	Now         func() time.Time
	// Behaviours are by the template of a collection, or by operationId.
	Behaviours map[string]Behaviour
	References []Reference
}

// Request is one call of an operation by someone who may make it.
type Request struct {
	Op       *model.Operation
	Segments []string // the path, decoded
	Query    url.Values
	Self     *url.URL // the request's absolute URL
	Body     []byte
	Media    string // the body's media type
	Holder   people.Holder
	// IdempotencyKey, where one is honoured: a repeat is answered as the first was.
	IdempotencyKey string
}

// Answer is what to send.
type Answer struct {
	Status int
	Media  string // "": no body
	Body   []byte
}

// work is one request inside one transaction.
type work struct {
	*Engine
	*Request
	tx      *store.Tx
	at      time.Time
	account int64
	// path is the concrete path of the collection it works on; "" for Act.
	path string
	body any // decoded, checked, without what only the platform sets
}

// outcome is a finished request: its answer, and for a write what it happened to.
type outcome struct {
	answer Answer
	name   string
	path   string
}

// handlers by kind of operation.
var handlers = map[model.Kind]func(*work) (outcome, error){
	model.List:     (*work).list,
	model.Retrieve: (*work).retrieve,
	model.Create:   (*work).create,
	model.Replace:  (*work).replace,
	model.Patch:    (*work).patch,
	model.Delete:   (*work).remove,
	model.Clone:    (*work).clone,
	model.Copy:     (*work).copy,
	model.Order:    (*work).order,
	model.Act:      (*work).act,
}

// Do serves one request. Errors of the caller's making are *refusal.Refusal. When
// it returns without an error, what it did is on the disk.
func (e *Engine) Do(r *Request) (Answer, error) {
	w := &work{Engine: e, Request: r, at: e.Now().UTC(), account: r.Holder.Company.ID}
	if err := w.checkPath(); err != nil {
		return Answer{}, err
	}
	w.path = w.collectionPath()
	var done outcome
	run := func(tx *store.Tx) (err error) {
		w.tx = tx
		done, err = w.run()
		return err
	}
	transact := e.Store.Update
	if r.Op.Method == http.MethodGet {
		transact = e.Store.View
	}
	if err := transact(run); err != nil {
		return Answer{}, err
	}
	return done.answer, nil
}

// run is the order of a request: the repeat, what must exist, the body, the work,
// the journal.
func (w *work) run() (outcome, error) {
	if w.IdempotencyKey != "" {
		switch kept, err := w.repeat(); {
		case err != nil:
			return outcome{}, err
		case kept != nil:
			return outcome{answer: *kept}, nil
		}
	}
	if err := w.checkParents(); err != nil {
		return outcome{}, err
	}
	if err := w.readBody(); err != nil {
		return outcome{}, err
	}
	done, err := handlers[w.Op.Kind](w)
	if err != nil || w.Op.Method == http.MethodGet {
		return done, err
	}
	if err := w.tx.Happened(w.account, w.Op.ID, done.name, done.path); err != nil {
		return outcome{}, err
	}
	if w.IdempotencyKey == "" {
		return done, nil
	}
	return done, w.tx.KeepAnswer(w.account, w.IdempotencyKey, store.Answered{
		Request: w.fingerprint(), Status: done.answer.Status, Media: done.answer.Media, Body: done.answer.Body,
	})
}

// repeat is the answer of an earlier request with the same key; nil when there was none.
func (w *work) repeat() (*Answer, error) {
	kept, err := w.tx.Answer(w.account, w.IdempotencyKey)
	if kept == nil || err != nil {
		return nil, err
	}
	if kept.Request != w.fingerprint() {
		return nil, refusal.Header(http.StatusUnprocessableEntity, "Idempotency-Key",
			"This key was used for another request.")
	}
	return &Answer{Status: kept.Status, Media: kept.Media, Body: kept.Body}, nil
}

func (w *work) fingerprint() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s?%s\n", w.Op.Method, model.Concrete(w.Segments), w.Query.Encode())
	h.Write(w.Body)
	return hex.EncodeToString(h.Sum(nil))
}
