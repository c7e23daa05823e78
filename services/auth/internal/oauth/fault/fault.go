// Package fault owns OAuth's errors: their codes, and how an endpoint that
// answers JSON says them (RFC 6749 §5.2, RFC 7591 §3.2.2).
package fault

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Code is the word for what is wrong.
type Code string

const (
	InvalidRequest          Code = "invalid_request"
	InvalidClient           Code = "invalid_client"
	InvalidGrant            Code = "invalid_grant"
	InvalidScope            Code = "invalid_scope"
	InvalidTarget           Code = "invalid_target"
	InvalidRedirectURI      Code = "invalid_redirect_uri"
	InvalidClientMetadata   Code = "invalid_client_metadata"
	UnauthorizedClient      Code = "unauthorized_client"
	UnsupportedGrantType    Code = "unsupported_grant_type"
	UnsupportedResponseType Code = "unsupported_response_type"
	AccessDenied            Code = "access_denied"
	LoginRequired           Code = "login_required"
	ConsentRequired         Code = "consent_required"
	SlowDown                Code = "slow_down"
	Unavailable             Code = "temporarily_unavailable"
	ServerError             Code = "server_error"
)

// Fault is an error that the client is told. The description is for the
// client's maker; it never holds what was sent.
type Fault struct {
	Code        Code
	Description string
	RetryAfter  time.Duration // 0: the answer names no time
	cause       error         // for the log only
}

// New makes a fault.
func New(code Code, description string) *Fault { return &Fault{Code: code, Description: description} }

// Down is a fault of ours: something could not be asked. cause is for the log.
func Down(cause error) *Fault {
	return &Fault{Code: Unavailable, Description: "Something that is needed cannot be asked right now. Try again.", RetryAfter: 2 * time.Second, cause: cause}
}

// Error is for logs.
func (f *Fault) Error() string {
	text := string(f.Code) + ": " + f.Description
	if f.cause != nil {
		text += ": " + f.cause.Error()
	}
	return text
}

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.cause }

// Of is the fault that err is or wraps; any other error is Down.
func Of(err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	return Down(err)
}

// Status is the HTTP status of a JSON answer.
func (f *Fault) Status() int {
	switch f.Code {
	case InvalidClient:
		return http.StatusUnauthorized
	case SlowDown:
		return http.StatusTooManyRequests
	case Unavailable:
		return http.StatusServiceUnavailable
	case ServerError:
		return http.StatusInternalServerError
	default:
		return http.StatusBadRequest
	}
}

// Write answers with err as a fault.
func Write(w http.ResponseWriter, err error) {
	f := Of(err)
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int((f.RetryAfter+time.Second-1)/time.Second))))
	}
	WriteJSON(w, f.Status(), map[string]string{"error": string(f.Code), "error_description": f.Description})
}

// WriteJSON answers with a value that nobody may keep.
func WriteJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // the client going away is no fault of ours
}
