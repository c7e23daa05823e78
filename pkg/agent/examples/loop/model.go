package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// model is a language model behind an OpenAI-compatible endpoint.
type model struct{ url, key, name string }

// message is one of a conversation.
type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// toolCall is a call that the model asks for.
type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"` // JSON
	} `json:"function"`
}

// answer is the model's next message.
func (m model) answer(ctx context.Context, talk []message, tools []any) (message, error) {
	body, err := json.Marshal(map[string]any{"model": m.name, "messages": talk, "tools": tools})
	if err != nil {
		return message{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(m.url, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return message{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	if m.key != "" {
		req.Header.Set("Authorization", "Bearer "+m.key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return message{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000)) // the status says enough
		return message{}, fmt.Errorf("the model answered %s: %s", resp.Status, text)
	}
	var got struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		return message{}, fmt.Errorf("the model's answer: %w", err)
	}
	if len(got.Choices) == 0 {
		return message{}, fmt.Errorf("the model gave no answer")
	}
	return got.Choices[0].Message, nil
}
