package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// endpoint is a model's API that answers as a test wants, and what it heard last.
type endpoint struct {
	cfg    Config
	body   map[string]any
	header http.Header
	path   string
	times  atomic.Int64
}

func serve(t *testing.T, answer http.HandlerFunc) *endpoint {
	t.Helper()
	e := &endpoint{cfg: Defaults()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.times.Add(1)
		e.header, e.path, e.body = r.Header, r.URL.Path, map[string]any{}
		if err := json.NewDecoder(r.Body).Decode(&e.body); err != nil {
			t.Error(err)
		}
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	e.cfg.URL, e.cfg.Name, e.cfg.Key = server.URL+"/v1", "small", "k-1"
	return e
}

func saying(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text}}}})
	}
}

func failing(status int, header, value, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if header != "" {
			w.Header().Set(header, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

var hello = []Message{{System, "Rules."}, {User, "How many?"}, {Assistant, "{"}, {User, "Again."}}

func TestAConversationIsSentWithinItsBounds(t *testing.T) {
	// What the library would take for its own.
	t.Setenv("OPENAI_API_KEY", "of-the-process")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("OPENAI_ORG_ID", "org")
	e := serve(t, saying("{ a }"))
	got, err := New(e.cfg).Answer(t.Context(), hello)
	if err != nil || got != "{ a }" {
		t.Fatalf("%q, %v", got, err)
	}
	if e.path != "/v1/chat/completions" || e.header.Get("Authorization") != "Bearer k-1" || e.header.Get("OpenAI-Organization") != "" {
		t.Errorf("sent to %s with %v", e.path, e.header)
	}
	if e.body["model"] != "small" || fmt.Sprint(e.body["max_tokens"]) != "1500" || fmt.Sprint(e.body["temperature"]) != "0" {
		t.Errorf("sent %v", e.body)
	}
	var roles []string
	for _, m := range e.body["messages"].([]any) {
		roles = append(roles, fmt.Sprint(m.(map[string]any)["role"], "=", m.(map[string]any)["content"]))
	}
	if want := "system=Rules. user=How many? assistant={ user=Again."; strings.Join(roles, " ") != want {
		t.Errorf("messages %v, want %s", roles, want)
	}
	e.cfg.Reasoning, e.cfg.Key = true, ""
	if _, err := New(e.cfg).Answer(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(e.body["max_completion_tokens"]) != "1500" || e.body["temperature"] != nil || e.body["max_tokens"] != nil {
		t.Errorf("a reasoning model is sent %v", e.body)
	}
	if e.header.Get("Authorization") != "" {
		t.Errorf("without a key it sends %q", e.header.Get("Authorization"))
	}
}

func TestWhyAModelGivesNoText(t *testing.T) {
	huge := `{"choices":[{"message":{"content":"` + strings.Repeat("x", 2*maxAnswer) + `"}}]}`
	for _, c := range []struct {
		name    string
		answer  http.HandlerFunc
		lasting bool
		after   time.Duration
	}{
		{"too many requests, with a time", failing(429, "Retry-After", "7", `{"error":{"message":"slow down"}}`), false, 7 * time.Second},
		{"too many requests, without one", failing(429, "", "", `{}`), false, 0},
		{"too many requests, for a day", failing(429, "Retry-After", "86400", `{}`), false, time.Hour},
		{"broken", failing(500, "", "", `oops`), false, 0},
		{"away", failing(503, "Retry-After", "2", ``), false, 2 * time.Second},
		{"a wrong key", failing(401, "", "", `{"error":{"message":"k-1 is wrong"}}`), true, 0},
		{"a model that is none", failing(404, "", "", `{}`), true, 0},
		{"a redirect, which is not followed", failing(302, "Location", "https://elsewhere.example.com/", ``), false, 0},
		{"no choice", failing(200, "Content-Type", "application/json", `{"choices":[]}`), false, 0},
		{"no JSON", failing(200, "Content-Type", "application/json", `<p>hello`), false, 0},
		{"nothing", failing(200, "Content-Type", "application/json", ``), false, 0},
		{"without end", failing(200, "Content-Type", "application/json", huge), false, 0},
		{"it hangs", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := serve(t, c.answer)
			e.cfg.Timeout = 300 * time.Millisecond
			text, err := New(e.cfg).Answer(t.Context(), hello)
			failed, ok := errors.AsType[*Failure](err)
			if !ok {
				t.Fatalf("%q, %v", text, err)
			}
			if failed.Lasting != c.lasting || failed.After != c.after {
				t.Errorf("lasting %t, after %s: %v", failed.Lasting, failed.After, err)
			}
			if e.times.Load() != 1 {
				t.Errorf("it was asked %d times, which is for the caller to decide", e.times.Load())
			}
			if strings.Contains(err.Error(), "k-1") {
				t.Errorf("the error holds the key: %v", err)
			}
		})
	}
}

func TestAWrongConfigurationIsToldWhole(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   []string
	}{
		{"none is right", func(*Config) {}, nil},
		{"a model", func(c *Config) { c.URL, c.Name = "https://models.example.com/v1", "m" }, nil},
		{"no name", func(c *Config) { c.URL = "https://models.example.com/v1" }, []string{"name"}},
		{"everything", func(c *Config) { c.URL, c.Timeout, c.MaxTokens = "models", 0, 0 }, []string{"url", "name", "timeout", "max-tokens"}},
		{"a key in the address", func(c *Config) { c.URL, c.Name = "https://k@models.example.com", "m" }, []string{"url"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Defaults()
			c.change(&cfg)
			err := cfg.Validate()
			if (err == nil) != (c.want == nil) {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v does not speak of %s", err, want)
				}
			}
		})
	}
}
