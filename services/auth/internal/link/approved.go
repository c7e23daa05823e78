package link

import (
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// Scope is what a person approved; the companies stand beside it, since each
// brings its credential.
type Scope struct {
	Areas    []string     `json:"areas"`
	ReadOnly bool         `json:"read_only"`
	Ask      identity.Ask `json:"ask"`
	// Resources by kind; an absent kind is unrestricted.
	Resources map[string]identity.Resources `json:"resources,omitempty"`
}

// Company is one account that the link may act in.
type Company struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Sealed []byte `json:"sealed"` // the person's personal token for it; package vault opens it
}

// Session is one opening of the link: the grant that began with an approval.
// An access token is good while its session stands here.
type Session struct {
	Grant string    `json:"grant"`
	At    time.Time `json:"at"`
	Until time.Time `json:"until"`
}

// Mark is something that the person should know of the link.
type Mark struct {
	At    time.Time `json:"at"`
	What  string    `json:"what"` // one of the words below
	Grant string    `json:"grant,omitempty"`
}

// What marks say.
const (
	MarkRefreshReused = "refresh_reused" // a used refresh token came back; the session was ended
	MarkCodeReused    = "code_reused"    // a used code came back; the session was ended
)

const (
	// maxSessions bounds the sessions of one link: five areas on ten machines.
	// The oldest one ends when there are more.
	maxSessions = 50
	maxMarks    = 20
)

// Session finds a session that lives now.
func (r *Record) Session(grant string, now time.Time) (Session, bool) {
	i := slices.IndexFunc(r.Sessions, func(s Session) bool { return s.Grant == grant })
	if i < 0 || !now.Before(r.Sessions[i].Until) {
		return Session{}, false
	}
	return r.Sessions[i], true
}

// SessionUntil is when the last of the living sessions ends; zero for none.
func (r *Record) SessionUntil(now time.Time) (last time.Time) {
	for _, s := range r.Sessions {
		if now.Before(s.Until) && s.Until.After(last) {
			last = s.Until
		}
	}
	return last
}

// Open adds a session and forgets those that are over. false: it is open already.
func (r *Record) Open(s Session) bool {
	if _, open := r.Session(s.Grant, s.At); open {
		return false
	}
	r.Sessions = slices.DeleteFunc(r.Sessions, func(old Session) bool { return !s.At.Before(old.Until) || old.Grant == s.Grant })
	r.Sessions = append(r.Sessions, s)
	if over := len(r.Sessions) - maxSessions; over > 0 {
		r.Sessions = slices.Delete(r.Sessions, 0, over)
	}
	return true
}

// Close ends a session; false where it was not open.
func (r *Record) Close(grant string) bool {
	before := len(r.Sessions)
	r.Sessions = slices.DeleteFunc(r.Sessions, func(s Session) bool { return s.Grant == grant })
	return len(r.Sessions) < before
}

// EndAt sets when the approval ends; sessions that would last longer end then, too.
func (r *Record) EndAt(until time.Time) {
	r.Until = until
	for i := range r.Sessions {
		if r.Sessions[i].Until.After(until) {
			r.Sessions[i].Until = until
		}
	}
}

// Note adds a mark, once for the same fact about the same session.
func (r *Record) Note(m Mark) {
	if slices.ContainsFunc(r.Marks, func(old Mark) bool { return old.What == m.What && old.Grant == m.Grant }) {
		return
	}
	r.Marks = append(r.Marks, m)
	if over := len(r.Marks) - maxMarks; over > 0 {
		r.Marks = slices.Delete(r.Marks, 0, over)
	}
}

// HasArea reports whether the person approved the area.
func (r *Record) HasArea(area string) bool {
	return r.Scope != nil && slices.Contains(r.Scope.Areas, area)
}
