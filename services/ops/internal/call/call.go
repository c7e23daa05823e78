// Package call makes calls as a client does, to see whether an area works: the
// challenge to sign in, what it points at, and one tool. It owns no protocol
// beyond that, and holds nothing between two calls.
package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// Target is an area as it is reached.
type Target struct {
	URL     string // public base URL
	Through string // host:port to connect to; "" for the URL's own
	Plain   bool   // HTTP, whatever the URL says
}

// mostBytes bounds an answer that is read.
const mostBytes = 4 << 20

// Area tries one and tells in a few words what it saw.
func Area(ctx context.Context, t Target, token identity.Secret) (string, error) {
	c, err := newCaller(t)
	if err != nil {
		return "", err
	}
	if err := c.challenged(ctx); err != nil {
		return "", err
	}
	if token == "" {
		return "asks to sign in, and says where (no token: no tool was called)", nil
	}
	return c.context(ctx, token)
}

type caller struct {
	http *http.Client
	base string // what is dialled
	host string // what the area calls itself
}

func newCaller(t Target) (*caller, error) {
	at, err := url.Parse(t.URL)
	if err != nil || at.Host == "" {
		return nil, fmt.Errorf("%q is no URL", t.URL)
	}
	c := &caller{host: at.Host, http: &http.Client{}}
	if t.Plain {
		at.Scheme = "http"
	}
	if t.Through != "" {
		// The name stays the public one, in TLS and in Host.
		transport := http.DefaultTransport.(*http.Transport).Clone()
		dialer := &net.Dialer{}
		transport.Proxy = nil
		transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, t.Through)
		}
		c.http.Transport = transport
	}
	c.base = strings.TrimSuffix(at.String(), "/")
	return c, nil
}

// challenged wants the refusal of who brings no token, and the metadata it names.
func (c *caller) challenged(ctx context.Context) error {
	response, _, err := c.post(ctx, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if err != nil {
		return err
	}
	challenge := response.Header.Get("WWW-Authenticate")
	if response.StatusCode != http.StatusUnauthorized || !strings.Contains(challenge, "resource_metadata=") {
		return fmt.Errorf("without a token it answers %s, not 401 with a challenge", response.Status)
	}
	response, body, err := c.do(ctx, http.MethodGet, "/.well-known/oauth-protected-resource/mcp", "", nil)
	if err != nil {
		return err
	}
	var metadata struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	if err := json.Unmarshal(body, &metadata); err != nil || response.StatusCode != http.StatusOK || metadata.Resource == "" || len(metadata.Servers) == 0 {
		return fmt.Errorf("the metadata of the resource is answered with %s, without resource or authorization_servers", response.Status)
	}
	return nil
}

// context calls ver_contexto_inicial.
func (c *caller) context(ctx context.Context, token identity.Secret) (string, error) {
	response, body, err := c.post(ctx, "Token "+string(token),
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ver_contexto_inicial","arguments":{}}}`)
	if err != nil {
		return "", err
	}
	var answer struct {
		Error  *struct{ Message string }
		Result *struct {
			IsError           bool           `json:"isError"`
			StructuredContent map[string]any `json:"structuredContent"`
		}
	}
	switch err := json.Unmarshal(body, &answer); {
	case response.StatusCode != http.StatusOK:
		return "", fmt.Errorf("ver_contexto_inicial is answered with %s", response.Status)
	case err != nil:
		return "", fmt.Errorf("the answer of ver_contexto_inicial is no JSON: %w", err)
	case answer.Error != nil:
		return "", errors.New(answer.Error.Message)
	case answer.Result != nil && answer.Result.IsError:
		return "", fmt.Errorf("ver_contexto_inicial answers %v: %v", answer.Result.StructuredContent["code"], answer.Result.StructuredContent["que_paso"])
	case answer.Result == nil || len(answer.Result.StructuredContent) == 0:
		return "", errors.New("ver_contexto_inicial answers no context")
	}
	return fmt.Sprintf("ver_contexto_inicial answered with %d facts", len(answer.Result.StructuredContent)), nil
}

func (c *caller) post(ctx context.Context, authorization, body string) (*http.Response, []byte, error) {
	return c.do(ctx, http.MethodPost, "/mcp", authorization, []byte(body))
}

func (c *caller) do(ctx context.Context, method, path, authorization string, body []byte) (*http.Response, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.Host = c.host
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, mostBytes))
	return response, text, err
}

// Borrow asks a sandbox for the token of one of its people.
func Borrow(ctx context.Context, platform, person string) (identity.Secret, error) {
	at, err := url.Parse(platform)
	if err != nil {
		return "", fmt.Errorf("the sandbox's URL: %w", err)
	}
	at.Path = "/_sandbox/people"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", fmt.Errorf("ask the sandbox for its people: %w", err)
	}
	defer response.Body.Close()
	var told struct {
		People []struct{ Name, Token string } `json:"people"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, mostBytes)).Decode(&told); err != nil {
		return "", fmt.Errorf("the sandbox's people: %w", err)
	}
	for _, p := range told.People {
		if p.Name == person {
			return identity.Secret(p.Token), nil
		}
	}
	return "", fmt.Errorf("the sandbox knows no %s", person)
}
