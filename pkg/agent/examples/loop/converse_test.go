package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/agent"
)

// script is a model that says what is written for each turn, and keeps what it was told.
type script struct {
	turns []string
	told  [][]message
	tools int
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Messages []message `json:"messages"`
		Tools    []any     `json:"tools"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != "/v1/chat/completions" {
		http.Error(w, fmt.Sprint(r.URL.Path, err), http.StatusBadRequest)
		return
	}
	s.told, s.tools = append(s.told, asked.Messages), len(asked.Tools)
	said := s.turns[min(len(s.told), len(s.turns))-1]
	fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":"",%s}}]}`, said)
}

func calls(names ...string) string {
	var all []string
	for i, name := range names {
		all = append(all, fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":%q,"arguments":"{\"n\":%d}"}}`, i, name, i))
	}
	return `"tool_calls":[` + strings.Join(all, ",") + `]`
}

func TestTheModelWorksWithTools(t *testing.T) {
	type in struct {
		N int `json:"n"`
	}
	server := agent.NewServer("math", "1")
	agent.AddTool(server, agent.Tool{Name: "double"}, func(_ context.Context, in in) (map[string]int, error) {
		return map[string]int{"result": 2 * in.N}, nil
	})
	agent.AddTool(server, agent.Tool{Name: "fail"}, func(context.Context, in) (string, error) { return "", fmt.Errorf("not today") })
	m := agent.New(agent.Options{})
	defer m.Close()
	if err := m.Connect(t.Context(), agent.Servers{"math": {Transport: server}}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		turns []string
		want  string
		tools []string // what the model was told of its calls
		fail  string
	}{
		"an answer at once":          {[]string{`"content":"hello"`}, "hello", nil, ""},
		"two calls, then an answer":  {[]string{calls("mcp__math__double", "mcp__math__double"), `"content":"0 and 2"`}, "0 and 2", []string{`{"result":0}`, `{"result":2}`}, ""},
		"an error is read, too":      {[]string{calls("mcp__math__fail"), `"content":"sorry"`}, "sorry", []string{"not today"}, ""},
		"a tool that it has made up": {[]string{calls("mcp__math__none"), `"content":"sorry"`}, "sorry", []string{"unknown tool"}, ""},
		"a model that never answers": {[]string{calls("mcp__math__double")}, "", nil, "not answered after 20 turns"},
		"arguments that are no JSON": {[]string{strings.ReplaceAll(calls("mcp__math__double"), `{\"n\":0}`, `oops`), `"content":"sorry"`}, "sorry", []string{"The call failed"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{turns: c.turns}
			endpoint := httptest.NewServer(s)
			defer endpoint.Close()
			got, err := converse(t.Context(), m, model{url: endpoint.URL + "/v1", name: "scripted"}, "do it")
			if got != c.want || (err == nil) != (c.fail == "") || err != nil && !strings.Contains(err.Error(), c.fail) {
				t.Errorf("answer %q, error %v", got, err)
			}
			if s.tools != 2 {
				t.Errorf("the model had %d tools", s.tools)
			}
			last := s.told[len(s.told)-1]
			for i, want := range c.tools {
				if got := last[len(last)-len(c.tools)+i]; got.Role != "tool" || !strings.Contains(got.Content, want) {
					t.Errorf("told %+v, want %q", got, want)
				}
			}
		})
	}
}
