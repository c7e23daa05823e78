package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/comporta-mcp/comporta/pkg/agent"
)

// turns is how often the model may ask for tools before it has to have answered.
const turns = 20

// converse lets the model work on a task with the Manager's tools.
func converse(ctx context.Context, m *agent.Manager, model model, task string) (string, error) {
	var tools []any
	for _, t := range m.Tools() {
		tools = append(tools, t.Function())
	}
	talk := []message{{Role: "system", Content: instructions(m)}, {Role: "user", Content: task}}
	for range turns {
		said, err := model.answer(ctx, talk, tools)
		if err != nil {
			return "", err
		}
		if len(said.ToolCalls) == 0 {
			return said.Content, nil
		}
		talk = append(append(talk, said), callAll(ctx, m, said.ToolCalls)...)
	}
	return "", fmt.Errorf("the model has not answered after %d turns", turns)
}

// instructions are what the servers say about themselves.
func instructions(m *agent.Manager) string {
	var b strings.Builder
	for _, st := range m.Status() {
		if st.Info.Instructions != "" {
			fmt.Fprintf(&b, "# Server %s\n%s\n\n", st.Server, st.Info.Instructions)
		}
	}
	return b.String()
}

// callAll runs the calls of one turn side by side. Each gets an answer: the model
// reads an error as well as a result.
func callAll(ctx context.Context, m *agent.Manager, calls []toolCall) []message {
	answers := make([]message, len(calls))
	var wg sync.WaitGroup
	for i, c := range calls {
		wg.Go(func() {
			answers[i] = message{Role: "tool", ToolCallID: c.ID, Content: callOne(ctx, m, c)}
		})
	}
	wg.Wait()
	return answers
}

func callOne(ctx context.Context, m *agent.Manager, c toolCall) string {
	result, err := m.Call(ctx, c.Function.Name, json.RawMessage(c.Function.Arguments))
	if err != nil {
		return agent.Answer(nil, err)
	}
	op, ok := result.Operation()
	if !ok {
		return result.Text()
	}
	server := serverOf(m, c.Function.Name)
	op, err = m.WaitOperation(ctx, server, op.ID, func(o agent.Operation) {
		if o.ApproveAt != "" {
			fmt.Println("A person has to agree:", o.ApproveAt)
		}
	})
	if e, ok := errors.AsType[*agent.ToolError](err); ok {
		return e.Text
	}
	if err != nil {
		return agent.Answer(nil, err)
	}
	return string(op.Result)
}

func serverOf(m *agent.Manager, tool string) string {
	for _, t := range m.Tools() {
		if t.Name == tool {
			return t.Server
		}
	}
	return ""
}
