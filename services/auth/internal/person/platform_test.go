package person

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// two answers the user's and the company's path with these bodies.
func two(user, company string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body := user
		if strings.HasSuffix(r.URL.Path, "/account") {
			body = company
		}
		_, _ = w.Write([]byte(body))
	}
}

func asked(t *testing.T, handler http.HandlerFunc, change func(*Config)) (Person, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	cfg := Defaults()
	if change != nil {
		change(&cfg)
	}
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	return New(server.URL+"/v4/", cfg, transport).Ask(t.Context(), "CANARY123")
}

const acme = `{"data":{"id":1001,"name":"Acme"}}`

func TestWhoATokenBelongsToIsReadFromTheConfiguredFields(t *testing.T) {
	tests := []struct {
		name          string
		user, company string
		change        func(*Config)
		want          Person
	}{
		{
			name: "the platform's own fields", company: acme,
			user: `{"data":{"id":7,"email":"a@b.c","first_name":"Ana","last_name":"Sá","is_admin":true,"is_read_only":true}}`,
			want: Person{ID: 7, Name: "Ana Sá", Email: "a@b.c", SystemAdmin: true, ReadOnly: true, CompanyID: 1001, CompanyName: "Acme"},
		},
		{
			name: "without the fields that may be missing", company: acme,
			user: `{"data":{"id":7,"email":"a@b.c"}}`,
			want: Person{ID: 7, Name: "a@b.c", Email: "a@b.c", CompanyID: 1001, CompanyName: "Acme"},
		},
		{
			name: "a flag that is no boolean gives no right", company: acme,
			user: `{"data":{"id":7,"email":"a@b.c","is_admin":"true"}}`,
			want: Person{ID: 7, Name: "a@b.c", Email: "a@b.c", CompanyID: 1001, CompanyName: "Acme"},
		},
		{
			name: "ids of more digits than a float has", company: `{"data":{"id":"9007199254740993","name":"Acme"}}`,
			user: `{"data":{"id":9007199254740993,"email":"a@b.c"}}`,
			want: Person{ID: 9007199254740993, Name: "a@b.c", Email: "a@b.c", CompanyID: 9007199254740993, CompanyName: "Acme"},
		},
		{
			name: "fields elsewhere, and a list of admins", company: `{"results":{"account":{"number":3}}}`,
			user: `{"uid":8,"mail":"x@y.z"}`,
			change: func(c *Config) {
				c.PersonID, c.Email, c.CompanyID, c.Admins = "uid", "mail", "results.account.number", []int64{8}
			},
			want: Person{ID: 8, Name: "x@y.z", Email: "x@y.z", SystemAdmin: true, CompanyID: 3},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := asked(t, two(test.user, test.company), test.change)
			if err != nil || got != test.want {
				t.Errorf("got %+v, %v; want %+v", got, err, test.want)
			}
		})
	}
}

func TestWhatAnAnswerIsWorth(t *testing.T) {
	answered := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	after := func(status int, value string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", value)
			w.WriteHeader(status)
		}
	}
	echo := func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"data":{"id":"%s"}}`, r.Header.Get("Authorization"))
	}
	soon := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    string // refused, busy, answered, other
	}{
		{"401", answered(401, "application/json", `{}`), "refused"},
		{"403", answered(403, "application/json", `{}`), "refused"},
		{"401 without a body or type", answered(401, "", ""), "refused"},
		{"a proxy's 403 page", answered(403, "text/html; charset=utf-8", "<html>"), "answered"},
		{"404", answered(404, "application/json", `{}`), "answered"},
		{"500", answered(500, "application/json", `{}`), "answered"},
		{"a 502 page", answered(502, "text/html", "<html>"), "answered"},
		{"a 200 page", answered(200, "text/html", "<html>"), "answered"},
		{"204", answered(204, "", ""), "answered"},
		{"429 with seconds", after(429, "45"), "busy"},
		{"429 with a date", after(429, soon), "busy"},
		{"429 without a time", after(429, ""), "answered"},
		{"429 with nonsense", after(429, "-3"), "answered"},
		{"503 with seconds", after(503, "5"), "busy"},
		{"JSON that is cut off", answered(200, "application/json", `{"data":{"id":`), "other"},
		{"JSON that is no object", answered(200, "application/json", `[]`), "other"},
		{"null", answered(200, "application/json", `null`), "other"},
		{"an id that is a fraction", two(`{"data":{"id":7.5}}`, acme), "other"},
		{"no person's id", two(`{"data":{}}`, acme), "other"},
		{"no company's id", two(`{"data":{"id":7}}`, `{"data":{}}`), "other"},
		{"an answer that echoes the token", echo, "other"},
		{"a closed connection", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "other"},
		{"an endless answer", func(w http.ResponseWriter, _ *http.Request) {
			for range 2 * maxAnswer / 1024 {
				_, _ = w.Write([]byte(strings.Repeat(" ", 1024)))
			}
		}, "other"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := asked(t, test.handler, nil)
			got := "other"
			if errors.Is(err, ErrRefused) {
				got = "refused"
			} else if _, ok := errors.AsType[*Busy](err); ok {
				got = "busy"
			} else if _, ok := errors.AsType[*Answered](err); ok {
				got = "answered"
			} else if err == nil {
				got = "accepted"
			}
			if got != test.want {
				t.Errorf("it counts as %s (%v), want %s", got, err, test.want)
			}
			if err != nil && (strings.Contains(err.Error(), "CANARY") || strings.Contains(err.Error(), "<html")) {
				t.Errorf("the error holds what was answered: %v", err)
			}
		})
	}
}

// TestOneRefusalIsEnough: a token must be good for both questions.
func TestOneRefusalIsEnough(t *testing.T) {
	for _, path := range []string{"/user", "/account"} {
		_, err := asked(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, path) {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			two(`{"data":{"id":7}}`, acme)(w, r)
		}, nil)
		if !errors.Is(err, ErrRefused) {
			t.Errorf("refused at %s only: %v", path, err)
		}
	}
}

func TestTheTokenGoesNowhereButToThePlatform(t *testing.T) {
	var elsewhere []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		elsewhere = append(elsewhere, r.Header.Get("Authorization"))
	}))
	defer other.Close()
	_, err := asked(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Token CANARY123" {
			t.Errorf("the platform was sent %q", r.Header.Get("Authorization"))
		}
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}, nil)
	if _, ok := errors.AsType[*Answered](err); !ok {
		t.Errorf("the error is %v, want that the answer is of no use", err)
	}
	if len(elsewhere) > 0 {
		t.Errorf("%d requests went elsewhere", len(elsewhere))
	}
}

func TestTheWholeCheckHasOneDeadline(t *testing.T) {
	_, err := asked(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		func(c *Config) { c.Timeout = 50 * time.Millisecond })
	if err == nil || errors.Is(err, ErrRefused) {
		t.Errorf("the error is %v, want that nobody could be asked", err)
	}
}
