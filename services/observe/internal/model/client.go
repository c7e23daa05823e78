package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// maxAnswer bounds what is read of one answer, in bytes; 1500 tokens are some
// 6 KiB, and an endpoint that sends a hundred times more does not answer us.
const maxAnswer = 1 << 20

// Role is who says a message.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one turn of a conversation.
type Message struct {
	Role Role
	Text string
}

// Failure is a request to the model that brought no text.
type Failure struct {
	// Lasting: another try will fail the same way, as with a wrong key.
	Lasting bool
	// After is how long the endpoint wants us to wait; 0 where it does not say.
	After time.Duration
	cause error
}

func (f *Failure) Error() string { return fmt.Sprintf("the model did not answer: %v", f.cause) }

// Unwrap gives the cause, which is for logs.
func (f *Failure) Unwrap() error { return f.cause }

// Client asks one model. It is safe for concurrent use.
type Client struct {
	cfg  Config
	chat openai.ChatCompletionService
}

// New makes a client. It reads no environment variable, unlike its library.
func New(cfg Config) *Client {
	options := []option.RequestOption{
		option.WithBaseURL(cfg.URL),
		option.WithHTTPClient(&http.Client{
			Transport:     bounded{http.DefaultTransport},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}),
		option.WithMaxRetries(0), // each request counts, and its caller counts
	}
	if cfg.Key != "" {
		options = append(options, option.WithAPIKey(string(cfg.Key)))
	}
	return &Client{cfg: cfg, chat: openai.NewChatCompletionService(options...)}
}

// Answer gives the model's text for a conversation. Its error is a *Failure, or
// ctx's where that ended.
func (c *Client) Answer(ctx context.Context, conversation []Message) (string, error) {
	limited, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	completion, err := c.chat.New(limited, c.request(conversation))
	if err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", failure(err)
	}
	if len(completion.Choices) == 0 {
		return "", &Failure{cause: errors.New("an answer without a choice")}
	}
	return completion.Choices[0].Message.Content, nil
}

func (c *Client) request(conversation []Message) openai.ChatCompletionNewParams {
	request := openai.ChatCompletionNewParams{Model: c.cfg.Name}
	for _, m := range conversation {
		said := openai.UserMessage(m.Text)
		switch m.Role {
		case System:
			said = openai.SystemMessage(m.Text)
		case Assistant:
			said = openai.AssistantMessage(m.Text)
		}
		request.Messages = append(request.Messages, said)
	}
	if c.cfg.Reasoning {
		request.MaxCompletionTokens = openai.Int(c.cfg.MaxTokens)
		return request
	}
	request.MaxTokens = openai.Int(c.cfg.MaxTokens)
	request.Temperature = openai.Float(0)
	return request
}

func failure(err error) *Failure {
	f := &Failure{cause: err}
	if told, ok := errors.AsType[*openai.Error](err); ok {
		switch told.StatusCode {
		case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusConflict:
		default:
			f.Lasting = told.StatusCode < http.StatusInternalServerError
		}
		if told.Response != nil {
			f.After = retryAfter(told.Response.Header)
		}
	}
	return f
}

// retryAfter reads the header's seconds; a date says nothing that a bounded
// conversation could wait for.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 3600)) * time.Second
}

// bounded ends a body that is too long with an error.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = &bounding{ReadCloser: response.Body, left: maxAnswer}
	return response, nil
}

type bounding struct {
	io.ReadCloser
	left int64
}

func (b *bounding) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the model's answer is larger than %d bytes", maxAnswer)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
